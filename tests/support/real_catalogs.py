"""Where the real catalogs are: published files of others, which this repository does not have."""

import os
from pathlib import Path

import pytest

from tests.support.helpers import PROJECT

DATA = Path(os.environ.get("SNAPDIFF_SHARED") or PROJECT.parent / "shared") / "data"
"""The folder `data` in the one that SNAPDIFF_SHARED names, or in `shared` beside the project."""

needs_real_catalogs = pytest.mark.skipif(
    not DATA.is_dir(), reason="there are no real catalogs; SNAPDIFF_SHARED names their folder"
)
