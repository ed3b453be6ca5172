"""`python -m tests.fuzz [--seconds N] [--seed N] [TARGET ...]`: knock until the time is over.

Then, unless targets are named, every shape of page is measured: `python -m tests.fuzz costs` does
that alone.

Every finding is printed and kept as a file in `found/`; the exit status is 1 where there is one.
Move the file to the corpus once the fault is mended: the tests run the corpus.
"""

import argparse
import hashlib
import os
import random
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.costs import check_shape
from tests.fuzz.mutations import corpus_of, damaged
from tests.fuzz.shapes import SHAPES
from tests.fuzz.targets import TARGETS, Target

FOUND = Path(__file__).resolve().parent / "found"
MOST_SECONDS = 2.0
"""How much processor time one input may take."""

_ROUND = settings(
    max_examples=100,
    deadline=None,
    database=None,
    derandomize=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


def fuzz(name: str, target: Target, seconds: float, chance: random.Random) -> tuple[int, int]:
    """Knock at one door for so long; return how many inputs it took and how many faults it has."""
    end = time.monotonic() + seconds
    seeds = corpus_of(name)
    inputs = 0
    findings: set[str] = set()
    while time.monotonic() < end:
        latest = b""

        @seed(chance.randrange(2**32))
        @_ROUND
        @given(damaged(seeds, target.words))
        def knock(data: bytes) -> None:
            nonlocal inputs, latest
            inputs += 1
            latest = data
            began = time.process_time()
            target.check(data)
            spent = time.process_time() - began
            assert spent < MOST_SECONDS, f"{spent:.1f} seconds"

        try:
            knock()
        except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
            if keep(name, latest, error, findings):
                end += 5  # shrinking took its time
    return inputs, len(findings)


def keep(name: str, data: bytes, error: Exception, findings: set[str]) -> bool:
    """Write a finding down, unless one like it is known; return whether it is new."""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if f"{os.sep}snapdiff{os.sep}" in file or "targets" in file:
            place = f"{Path(file).name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    label = f"{type(error).__name__} at {place}"
    if label in findings:
        return False
    findings.add(label)
    file_name = hashlib.sha256(data).hexdigest()[:16]
    (FOUND / name).mkdir(parents=True, exist_ok=True)
    (FOUND / name / file_name).write_bytes(data)
    say(f"{name}: {label}: {str(error)[:200]}\n  {data[:300]!r}\n  kept as {name}/{file_name}")
    return True


def too_costly() -> list[str]:
    """Return the shapes of which twice the size costs too much, each printed."""
    found = []
    for name, shape in SHAPES.items():
        try:
            check_shape(shape)
        except AssertionError as error:
            say(f"costs: {name}: {error}")
            found.append(name)
    return found


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the targets named, or all; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=None, help="for the same inputs again")
    given_arguments = parser.parse_args()
    targets = [*TARGETS, "costs"]
    named = given_arguments.targets or targets
    unknown = sorted(set(named) - set(targets))
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}; there are {', '.join(targets)}")
    names = [name for name in named if name in TARGETS]
    number = given_arguments.seed
    if number is None:
        number = int.from_bytes(os.urandom(4), "big")
    say(f"seed {number}")
    faults = 0
    for name in names:
        chance = random.Random(f"{number} {name}")  # noqa: S311 - inputs, not secrets
        share = given_arguments.seconds / len(names)
        inputs, found = fuzz(name, TARGETS[name], share, chance)
        say(f"{name}: {inputs:,} inputs, {found} faults")
        faults += found
    if "costs" in named:
        found = len(too_costly())
        say(f"costs: {len(SHAPES)} shapes, {found} faults")
        faults += found
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
