"""Spack's database of what is installed in a tree, `.spack-db/index.json`."""

from snapdiff.formats.base import Claim
from snapdiff.formats.document_names import DATABASE, DATABASE_FOLDER, is_called
from snapdiff.formats.install_records import open_database
from snapdiff.formats.listing import Listing, place_of
from snapdiff.formats.spec_document import Opening, SpecDocumentReader
from snapdiff.limits import Limits


class InstallDatabase:
    """The format of an install database: the stack is the tree's folder, the tag the path above."""

    name = "install database"
    files = DATABASE

    def document_path(self, path: str) -> str | None:
        """Return the path itself where the name is a database's."""
        return path if self.is_named(path) else None

    def is_named(self, path: str) -> bool:
        """Return whether a file is `.spack-db/index.json` in some folder."""
        return is_called(path, DATABASE)

    def tag_folder(self, path: str) -> str:
        """Return the folder above the tree."""
        return _tree(path).rpartition("/")[0]

    def claim_of_path(self, path: str) -> Claim:
        """Return the stack that the folder of the tree is."""
        return place_of(_tree(path)).claim

    def reader(self, limits: Limits) -> SpecDocumentReader:
        """Return a reader that knows nothing yet."""
        return SpecDocumentReader(limits, _open)


def _tree(path: str) -> str:
    """Return the folder of the tree, which is above that of its database."""
    folder = path.rpartition("/")[0]
    if is_called(folder, DATABASE_FOLDER):
        return folder.removesuffix(DATABASE_FOLDER).removesuffix("/")
    return folder


def _open(opening: Opening) -> Listing:
    place = place_of(_tree(opening.file.path))
    return open_database(opening.file.content, place, opening.builds, counts_installed=True)
