"""How long `orjson.loads` takes for some files, with the garbage collector off.

    python -m benchmarks.json_yardstick FILE...
    python -m benchmarks.json_yardstick --history REPOSITORY

Reading the files counts, starting Python does not. What was read is kept, as whoever compares two
documents has to keep both. Of a history every distinct version of a file is read once, handed over
by git.
"""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.history import distinct_pages
from benchmarks.store import git_environment


def read_files(loads: Any, paths: list[str]) -> list[object]:
    """Return what the files say."""
    return [loads(Path(path).read_bytes()) for path in paths]


def read_history(loads: Any, repository: Path) -> int:
    """Read every version of the files of a repository, one after the other; return how many."""
    names = distinct_pages(repository)
    command = ["git", "-C", str(repository), "cat-file", "--batch", "--buffer"]
    with subprocess.Popen(
        command, env=git_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as git:
        assert git.stdin is not None
        assert git.stdout is not None
        git.stdin.write(b"\n".join(names) + b"\n")
        git.stdin.close()
        for _ in names:
            size = int(git.stdout.readline().split()[2])
            loads(git.stdout.read(size))
            git.stdout.read(1)
    return len(names)


def main(arguments: list[str]) -> int:
    """Print the seconds."""
    loads = importlib.import_module("orjson").loads
    gc.disable()
    start = time.perf_counter()
    if arguments[0] == "--history":
        read_history(loads, Path(arguments[1]))
    else:
        kept = read_files(loads, arguments)
        assert kept
    print(time.perf_counter() - start)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
