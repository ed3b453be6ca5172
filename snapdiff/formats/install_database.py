"""Spack's database of what is installed in a tree, `.spack-db/index.json`."""

from dataclasses import dataclass

from snapdiff.formats.install_records import open_database
from snapdiff.formats.listing import Listing, place_of
from snapdiff.formats.spec_document import Opening, SpecDocumentReader
from snapdiff.limits import Limits

DATABASE_FOLDER = ".spack-db"
_DATABASE = f"{DATABASE_FOLDER}/index.json"


@dataclass(frozen=True, slots=True)
class InstallDatabase:
    """The format of an install database: the stack is the tree's folder, the tag the path above."""

    name: str = "install database"
    files: str = _DATABASE

    def document_path(self, path: str) -> str | None:
        """Return the path itself where the name is a database's."""
        return path if self.is_named(path) else None

    def is_named(self, path: str) -> bool:
        """Return whether a file is `.spack-db/index.json` in some folder."""
        return f"/{path}".endswith(f"/{_DATABASE}")

    def reader(self, limits: Limits) -> SpecDocumentReader:
        """Return a reader that knows nothing yet."""
        return SpecDocumentReader(limits, _open)


def _open(opening: Opening) -> Listing:
    folder = opening.file.path.rpartition("/")[0]
    if folder == DATABASE_FOLDER or folder.endswith(f"/{DATABASE_FOLDER}"):
        folder = folder.removesuffix(DATABASE_FOLDER).removesuffix("/")
    place = place_of(folder)
    return open_database(opening.file.content, place, opening.builds, counts_installed=True)
