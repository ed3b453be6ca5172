"""Environments by name, found as Spack finds them: in its own folder, or where a path leads."""

import os
import shutil
from pathlib import Path

from snapdiff.errors import RevisionError

LOCK = "spack.lock"

_MANIFEST = "spack.yaml"
_ENVIRONMENTS = Path("var", "spack", "environments")
_MOST_NAMES = 20


def environment_folder(name: str) -> Path:
    """Return the folder of the environment that `spack -e NAME` means: a managed one, or a folder.

    Raises RevisionError where there is no such environment.
    """
    managed = _managed_environments()
    if managed and _is_environment(managed / name):
        return managed / name
    if _is_environment(Path(name)):
        return Path(name).absolute()
    if managed is None:
        raise RevisionError(
            f"{name}: no such environment here, and no Spack to ask for its own; set SPACK_ROOT"
        )
    try:
        names = sorted(item.name for item in managed.iterdir() if _is_environment(item))
    except OSError:
        names = []
    there = f"there are {', '.join(names[:_MOST_NAMES])}" if names else "there is none"
    raise RevisionError(f"{name}: no such environment in {managed}; {there}")


def _managed_environments() -> Path | None:
    """Return Spack's folder of environments; None where no Spack is to be found."""
    root = os.environ.get("SPACK_ROOT")
    program = shutil.which("spack")
    if not root and program:
        root = str(Path(program).resolve().parents[1])
    return Path(root, _ENVIRONMENTS) if root else None


def _is_environment(folder: Path) -> bool:
    return any(os.path.isfile(folder / name) for name in (_MANIFEST, LOCK))
