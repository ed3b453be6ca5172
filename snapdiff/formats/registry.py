"""Every kind of document with dependencies that is read, by name and by content."""

from snapdiff.formats.base import Format
from snapdiff.formats.buildcache_index import BuildcacheIndex
from snapdiff.formats.environment_lock import EnvironmentLock
from snapdiff.formats.install_database import InstallDatabase
from snapdiff.formats.old_pages import OldPage
from snapdiff.formats.site_data import SiteData

_HEAD = 4096
"""Within how many bytes a database names itself; Spack does so at once."""

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


def format_of_content(content: bytes) -> Format | None:
    """Return the kind of a document with a name of its own, such as `old.lock`, or None.

    Only what is likely is said here: the kind's reader finds out whether the document is one.
    """
    if b'"concrete_specs"' in content:
        return EnvironmentLock()
    if b'"database"' in content[:_HEAD]:
        # The records of both kinds are of one shape; each says where its specs are.
        return InstallDatabase() if b'"installed"' in content else BuildcacheIndex(layout=2)
    return None
