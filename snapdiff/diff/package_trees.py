"""What changed below the specs of one package, beside the diff of everything."""

from snapdiff.diff.tags import TagDiffs
from snapdiff.diff.why import changes_below
from snapdiff.errors import BadPage, FormatError
from snapdiff.filters import Scope
from snapdiff.limits import Limits
from snapdiff.model import PackagePair, TagPair, Tags
from snapdiff.result import Change, TagDiff
from snapdiff.result.causes import ChangeBelow


class PackageTrees(TagDiffs):
    """Gives the diff of each tag, and afterwards trees of what changed below one package.

    All is compared, not this package alone: which of several equally near events is a spec's cause
    depends on the rest of its stack.
    """

    def __init__(self, package: str, scope: Scope, limits: Limits) -> None:
        """Begin with nothing; `package` is the one whose trees can be asked for."""
        super().__init__(scope, limits)
        self._package = package
        self._pairs: dict[Tags, list[PackagePair]] = {}
        self.names: set[str] = set()

    @property
    def has_dependencies(self) -> bool:
        """Whether any document that lists the package has dependencies on both sides."""
        return any(pair.graphs for pairs in self._pairs.values() for pair in pairs)

    def add(self, pair: PackagePair) -> None:
        """Find out what happened to a package, as `TagDiffs` does."""
        super().add(pair)
        self.names.add(pair.name)
        if pair.name == self._package:
            self._pairs.setdefault(pair.tags, []).append(pair)

    def close(self, tag: TagPair) -> TagDiff | None:
        """Return the diff of a tag, as `TagDiffs` does."""
        self.names.update(tag.counts.packages)
        return super().close(tag)

    def below(self, tags: Tags, stack: str, change: Change) -> tuple[ChangeBelow, ...]:
        """Return what changed below a pair of the package, empty where nothing can be known.

        Raises BadPage where the document cannot be followed from dependency to dependency.
        """
        if change.old is None or change.new is None:
            return ()
        old, new = change.old.hash, change.new.hash
        for pair in self._pairs.get(tags, ()):
            if not pair.graphs or old not in pair.old or new not in pair.new:
                continue
            if stack not in self._scope.stacks(pair.new[new].stacks):
                continue  # the same package in the document of another stack
            try:
                return changes_below(old, new, self._graphs.changes(pair.graphs))
            except FormatError as error:
                raise BadPage(pair.document, "new", str(error)) from error
        return ()
