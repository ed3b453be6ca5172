"""Build the wheel and the source archive of a release, twice, and compare them byte for byte.

python -m release.build dist

Only what git tracks is built, and the two builds have nothing in common but that and the time of
the commit (`SOURCE_DATE_EPOCH`): neither the folder nor the clock, the time zone or the umask.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_SURROUNDINGS = (("UTC", 0o022), ("Asia/Kathmandu", 0o077))
"""A time zone and a umask for each of the two builds."""


def build_twice(folder: Path) -> list[Path]:
    """Put a wheel and a source archive into a folder; return them.

    Raises ValueError where a second build is not the same.
    """
    with tempfile.TemporaryDirectory() as place:
        first, second = (
            _build(Path(place) / f"of {zone.replace('/', ' ')}", zone, umask)
            for zone, umask in _SURROUNDINGS
        )
        for name, content in first.items():
            if second.get(name) != content:
                raise ValueError(f"{name}: two builds of it differ")
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in first.items():
            (folder / name).write_bytes(content)
    return [folder / name for name in sorted(first)]


def _build(place: Path, zone: str, umask: int) -> dict[str, bytes]:
    """Return what a build in a new folder makes, by name."""
    source, built = place / "source", place / "built"
    for name in _git("ls-files", "-z").split("\0")[:-1]:
        copy = source / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)  # with the time of now and the usual permissions
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct").strip()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", built],
        cwd=source,
        env=os.environ | {"SOURCE_DATE_EPOCH": epoch, "TZ": zone},
        umask=umask,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return {file.name: file.read_bytes() for file in built.iterdir()}


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def main() -> int:
    """Build into the folder that is named; return the exit status."""
    for file in build_twice(Path(sys.argv[1])):
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
