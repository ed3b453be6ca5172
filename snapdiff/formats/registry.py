"""Every kind of document with dependencies that is read."""

from snapdiff.formats.base import Format
from snapdiff.formats.buildcache_index import BuildcacheIndex
from snapdiff.formats.environment_lock import EnvironmentLock
from snapdiff.formats.install_database import InstallDatabase
from snapdiff.formats.old_pages import OldPage
from snapdiff.formats.site_data import SiteData

DOCUMENT_FORMATS: tuple[Format, ...] = (
    EnvironmentLock(),
    BuildcacheIndex(layout=3),
    BuildcacheIndex(layout=2),
    InstallDatabase(),
    SiteData(),
    OldPage("specs.md"),
    OldPage("index.md"),
)
"""In the order in which they are asked; of two documents of one stack the first is taken."""
