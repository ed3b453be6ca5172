"""The specs of one package, of one document or of both sides; tags counted, and stacks alike."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from msgspec import Struct, field

from snapdiff.model.specs import NO_GRAPHS, Build, Graph, StackGraphs

Tags = tuple[str | None, str | None]
"""The tag of the old side and of the new one; None where a side has none."""


class Package(Struct, frozen=True, gc=False):
    """The specs of a package in a tag, by hash, as one document lists them.

    `stack` is there where the document lists one whole stack, `graph` where it has dependencies.
    `document` is its path, where an error may have to name it.
    """

    tag: str
    name: str
    specs: Mapping[str, Build]
    stack: str | None = None
    graph: Graph | None = None
    document: str = ""


class Counted(NamedTuple):
    """What is counted of a spec: in each of `tags`, in each of `stacks`. No tags: not at all."""

    name: str
    version_text: str
    tags: tuple[str, ...]
    stacks: frozenset[str]


KeptSpecs = Callable[[], Iterable[tuple[str, Build]]]
"""Returns specs with their hashes; of a page like specs once, without a hash."""


class PackagePair(Struct, frozen=True, gc=False, kw_only=True):
    """One package on both sides: the only type that a diff is made of.

    `old` and `new` hold by hash what the other side does not have in the same words, `common` the
    number of specs that both sides have, and `kept` reads these when it is called. `document` is
    how an error names where the package is listed. `graphs` are there where both sides have
    dependencies.
    """

    tags: Tags
    name: str
    old: Mapping[str, Build]
    new: Mapping[str, Build]
    common: Mapping[Build | Counted, int]
    document: str = ""
    kept: KeptSpecs = tuple
    graphs: tuple[Graph, Graph] | None = None


StackCounts = Counter[frozenset[str]]
"""The number of a package's specs by the set of stacks they count in."""


class PackageCounts(Struct, frozen=True, gc=False):
    """How many specs a package has in a tag, where nobody asks how they were built."""

    tag: str
    name: str
    by_stacks: StackCounts


def count_by_stacks(numbers: Iterable[tuple[Build | Counted, int]]) -> StackCounts:
    """Return the number of specs by the set of stacks they count in, given those of like specs."""
    found: StackCounts = Counter()
    for specs, number in numbers:
        found[specs.stacks] += number
    return found


DocumentKind = Literal["lock", "index", "database", "page", "site data"]
"""What a stack is listed in: an environment's lock, the index of a build cache, the database of an
install tree, pages of the site or its data."""

_NOUNS = {"lock": "environment", "index": "build cache", "database": "install tree"}
"""What a stack is called by the kind of document that lists it; what is not here is a stack."""


def noun_of(documents: Iterable[str]) -> str:
    """Return what stacks are called that are listed by documents of these kinds."""
    nouns = {_NOUNS.get(it, "stack") for it in documents}
    return nouns.pop() if len(nouns) == 1 else "stack"


StackDocuments = Mapping[str, DocumentKind]
"""The documents of a tag that each list a whole stack; any other stack is listed in pages."""


class SpecCounts(Struct):
    """How many specs there are, in all and by stack, and of which packages.

    `packages` has the number of documents that list a package; `specs_in` and `packages_in` are the
    numbers of specs and of packages by stack.
    """

    specs: int = 0
    packages: Counter[str] = field(default_factory=Counter)
    specs_in: Counter[str] = field(default_factory=Counter)
    packages_in: Counter[str] = field(default_factory=Counter)

    def merge(self, other: "SpecCounts") -> None:
        """Count all that was counted elsewhere, and know nothing of what was taken out again."""
        self.specs += other.specs
        self.packages += other.packages
        self.specs_in += other.specs_in
        self.packages_in += other.packages_in


class TagPair(Struct, frozen=True, kw_only=True):
    """Two tags that are compared, or one that a side has alone, once all its packages are known.

    `counts` are of what no `PackagePair` holds: what is the same on both sides, or all of a tag
    that one side has alone. `left_out_stacks` are those with a bad document: nothing is reported
    of them. `hashes` is how many specs there are in all, old and new: several documents of a tag
    may list one spec. It is None where no two do, and all numbers of specs add up. `graphs` are the
    dependencies of both sides' documents in which something differs, `documents` the kinds of both
    sides' documents. `renamed` has the old name of each stack of the new side that was found to be
    one of the old side. `is_cut` says that paths leave out documents of the tag.
    `unchanged` has by stack what is counted there of the packages that pairs of the tag hold, or
    that are asked for on one side alone.
    """

    tags: Tags
    counts: SpecCounts
    left_out_stacks: frozenset[str] = frozenset()
    hashes: tuple[int | None, int | None] = (None, None)
    graphs: tuple[StackGraphs, StackGraphs] = NO_GRAPHS
    documents: tuple[StackDocuments, StackDocuments] = ({}, {})
    renamed: Mapping[str, str] = {}
    unchanged: Mapping[str, Collection[str]] = {}
    is_cut: bool = False

    def document_of(self, stack: str, *, on_new_side: bool) -> DocumentKind:
        """Return what kind of document lists a stack on one side."""
        return self.documents[on_new_side].get(stack, "page")

    def is_whole(self, stack: str) -> bool:
        """Return whether all of a stack is compared: pages of a tag that is cut are a part."""
        return not self.is_cut or any(stack in side for side in self.documents)


# --- Which stack of one side may be one of the other side under another name ---

SHARED = 0.8
"""The share of the packages of the smaller stack that both have (specification, section 2)."""

MOST_STACKS = 100
"""Of how many stacks a side each is held against each; like `git diff` with files, not of more."""

_LONGEST = 64
"""So many characters of a name are compared: what that costs grows with their square."""


class LikeStacks(NamedTuple):
    """A stack of the old side and one of the new side, and how many packages both have."""

    old: str
    new: str
    shared: int


def like_stacks(
    old: Mapping[str, AbstractSet[str]],
    new: Mapping[str, AbstractSet[str]],
    may_pair: Callable[[str, str], bool],
) -> list[LikeStacks]:
    """Return all pairs of stacks that share most packages, the most alike first.

    `old` and `new` have the packages of each stack; `may_pair` says which two can be one at all.
    The most alike have the largest share of packages and of their names in common; what ties is in
    the order of the names. Where a side has too many stacks to hold each against each, there is no
    pair.
    """
    if max(len(old), len(new)) > MOST_STACKS:
        return []
    found = []
    for before, mine in old.items():
        for after, theirs in new.items():
            shared = len(mine & theirs)
            is_likely = shared and shared >= SHARED * min(len(mine), len(theirs))
            if is_likely and may_pair(before, after):
                names = SequenceMatcher(None, before[:_LONGEST], after[:_LONGEST], autojunk=False)
                likeness = shared / len(mine | theirs) + names.ratio()
                found.append((-likeness, LikeStacks(before, after, shared)))
    return [pair for _, pair in sorted(found)]
