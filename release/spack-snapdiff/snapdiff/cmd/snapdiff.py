"""`spack snapdiff ...`: the command of Spack that starts snapdiff.

Spack finds it where `config:extensions` names the folder `spack-snapdiff`. It runs in Spack's own
Python, which has none of snapdiff's libraries, so it starts the program that it came with.
"""

import os
import shutil
import subprocess

import spack.environment

description = "what changed between two environments, build caches or other catalogs"
section = "environments"
level = "short"

# Those that compare an environment where one is active; the first is what is done without a name.
_COMPARING = ("diff", "why")
_OTHERS = ("changelog", "git-driver", "missing", "post", "schema", "snapshot")


def setup_parser(subparser):
    """Leave all words to snapdiff, which knows them."""


def snapdiff(parser, args, unknown_args):
    """Start snapdiff; with an environment, such as that of `spack -e`, it compares its lock."""
    program = _program()
    if program is None:
        raise SystemExit("spack snapdiff: the program snapdiff is not here; install it")
    words = list(unknown_args)
    environment = spack.environment.active_environment()
    if environment and not (words and words[0] in _OTHERS):
        place = 1 if words and words[0] in _COMPARING else 0
        words[place:place] = ["-e", environment.path]
    return subprocess.run([program, *words], check=False).returncode


def _program():
    """Return the program that was installed with this file, or else the first one on PATH."""
    folder = os.path.dirname(os.path.realpath(__file__))
    while folder != os.path.dirname(folder):
        for place in ("bin", os.path.join(".venv", "bin")):
            program = os.path.join(folder, place, "snapdiff")
            if os.access(program, os.X_OK) and os.path.isfile(program):
                return program
        folder = os.path.dirname(folder)
    return shutil.which("snapdiff")
