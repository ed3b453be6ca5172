"""One side of a comparison: the packages it has, and those that wait for their counterpart."""

from snapdiff.errors import BadPage, Side
from snapdiff.formats.site_page import names_in_path
from snapdiff.model import Package

_Name = tuple[str, str]
"""A tag and a package."""


class Shelf:
    """One side: which packages it has and where, and those that wait for their counterpart."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.paths: dict[_Name, str] = {}
        self.waiting: dict[str, dict[str, Package]] = {}
        self.bad: set[_Name] = set()
        self.standing_tags: set[str] = set()

    def register(self, package: Package, path: str, side: Side) -> BadPage | None:
        """Note where a package stands; return a bad page if it stands somewhere else already."""
        known = self.paths.setdefault((package.tag, package.name), path)
        if known == path:
            return None
        reason = f"package {package.name} of tag {package.tag} is already on page {known}"
        return BadPage(path, side, reason)

    def leave_out(self, path: str) -> str:
        """Note a bad page, as the package that its path names; return the tag it names."""
        tag, name = names_in_path(f"{self._prefix}/{path}")
        self.bad.add((tag, name))
        return tag

    def put(self, package: Package) -> None:
        """Keep a package until all tags are known."""
        self.waiting.setdefault(package.tag, {})[package.name] = package

    def tags(self) -> set[str]:
        """Return every tag that a page of this side names."""
        return {tag for tag, _ in self.paths} | self.standing_tags

    def bad_tags(self) -> set[str]:
        """Return every tag that a bad page of this side is in, as its path has it."""
        return {tag for tag, _ in self.bad}
