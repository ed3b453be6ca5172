"""Where Spack finds its command `spack snapdiff`; Spack's own Python imports no more than this."""

from pathlib import Path

_NAME = "spack-snapdiff"


def extension_folders() -> list[str]:
    """Return the folder that `config:extensions` of Spack has to name, in a list as it wants it."""
    package = Path(__file__).resolve().parent
    # A wheel has it inside the package, a clone in `release/`.
    places = (package / _NAME, package.parent / "release" / _NAME)
    return [str(place) for place in places if place.is_dir()]
