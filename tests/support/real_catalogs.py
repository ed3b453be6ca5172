"""Where the real catalogs are: published files of others, which this repository does not have."""

import os
from functools import cache
from pathlib import Path

import pytest

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from tests.support.helpers import PROJECT

DATA = Path(os.environ.get("SNAPDIFF_SHARED") or PROJECT.parent / "shared") / "data"
"""The folder `data` in the one that SNAPDIFF_SHARED names, or in `shared` beside the project."""

LOCKS = DATA / "locks"

E4S = tuple(LOCKS / "e4s" / "environments" / release for release in ("23.08", "23.11"))
"""Two releases of the environments of E4S, five in each."""


DERECHO = tuple(sorted((LOCKS / "derecho").glob("06[67]-*.lock")))
"""The step of a machine's environment in which `mvapich` goes and `openmpi` is upgraded."""


@cache
def e4s_diff() -> CatalogDiff:
    """What changed between the two releases: found once, as it takes more than a second."""
    old, new = (load_catalog(str(release)) for release in E4S)
    return diff_catalogs(old, new)


@cache
def e4s_report(format_name: str) -> str:
    """The report of it in a format: written once, as it takes as long."""
    return render_report(e4s_diff(), format_name)


@cache
def derecho_diff() -> CatalogDiff:
    """What changed in the step of the machine's environment."""
    old, new = (load_catalog(str(path)) for path in DERECHO)
    return diff_catalogs(old, new)


needs_real_catalogs = pytest.mark.skipif(
    not DATA.is_dir(), reason="there are no real catalogs; SNAPDIFF_SHARED names their folder"
)
