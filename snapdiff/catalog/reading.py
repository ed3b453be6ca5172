"""Files of two revisions as documents, and the packages of two documents as pairs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

from snapdiff.errors import BadPage, FormatError, Side
from snapdiff.filters import Scope
from snapdiff.formats.document import Counted, Document, DocumentReader, File, no_file
from snapdiff.model import (
    NO_GRAPHS,
    Build,
    Graph,
    InCommon,
    KeptSpecs,
    Package,
    PackageCounts,
    PackagePair,
    StackGraphs,
    Tags,
    count_by_stacks,
    counted_in_common,
    none_kept,
)
from snapdiff.sources.source import Content


def require_content(path: str, content: Content | None) -> bytes:
    """Return the bytes that a source handed over; raises FormatError where there are none."""
    if isinstance(content, FormatError):
        raise content
    return no_file(path) if content is None else content


class PairedPackages(NamedTuple):
    """The packages of two versions of a document.

    `pairs` are those of which one side has a spec that the other has not, `unchanged` those of
    which both have the same.
    """

    pairs: list[PackagePair]
    unchanged: list[PackageCounts]


Reading = Document | BadPage | None
"""What a file is: a document, one that cannot be read, or none at all."""


class FilePair(NamedTuple):
    """A file that differs: what it is on both sides.

    `packages` are there where both are documents that list the same; otherwise each is read whole.
    """

    path: str
    old: Reading
    new: Reading
    packages: PairedPackages | None = None


FileVersion = File | FormatError | None
"""A file as one side has it, or why it cannot be read; None where that side does not have it."""


def read_pair(
    path: str, read_old: Callable[[bool], Reading], read_new: Callable[[bool], Reading]
) -> FilePair:
    """Return what a file is on both sides.

    What is a document on one side is one on the other too, or cannot be read: each function is
    called with whether that is known.
    """
    old, new = read_old(False), read_new(False)
    if old is None and new is not None:
        old = read_old(True)
    elif new is None and old is not None:
        new = read_new(True)
    if isinstance(old, Document) and isinstance(new, Document) and new.is_version_of(old):
        try:
            return FilePair(path, old, new, pair_documents(old, new, path))
        except FormatError:
            pass  # read whole, the one that is to blame says so
    return FilePair(path, read_whole(old, path, "old"), read_whole(new, path, "new"))


def read_versions(
    path: str, old: FileVersion, new: FileVersion, reader: DocumentReader
) -> FilePair:
    """Return what a file is on both sides."""
    return read_pair(
        path,
        partial(read_file, reader, path, old, "old"),
        partial(read_file, reader, path, new, "new"),
    )


def read_file(
    reader: DocumentReader, path: str, file: FileVersion, side: Side, is_document: bool = False
) -> Reading:
    """Return what a file is on one side."""
    if file is None:
        return None
    try:
        if isinstance(file, FormatError):
            raise file
        return reader(file._replace(is_document=is_document))
    except FormatError as error:
        return BadPage(path, side, str(error))


def read_whole(reading: Reading, path: str, side: Side) -> Reading:
    """Return a document of which everything can be read, or else the bad page that it is."""
    try:
        if isinstance(reading, Document):
            _ = reading.packages
    except FormatError as error:
        return BadPage(path, side, str(error))
    return reading


class _InCommon:
    """The specs that two versions of a document have, counted; read when somebody asks for one."""

    def __init__(self, document: Document, entries: Mapping[str, Counted]) -> None:
        self._document = document
        self._entries = entries
        self.numbers: dict[tuple[str, str], dict[InCommon, int]] = defaultdict(dict)
        for entry, number in Counter(entries.values()).items():
            for tag in entry.tags:
                self.numbers[tag, entry.name][InCommon(entry.version, entry.stacks)] = number

    def specs(self, tag: str, package: str) -> Iterator[tuple[str, Build]]:
        """Yield the specs of a package with their hashes."""
        yield from self._document.builds(self._hashes.get((tag, package), ()))

    @cached_property
    def _hashes(self) -> Mapping[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = {}
        for spec_hash, entry in self._entries.items():
            for tag in entry.tags:
                found.setdefault((tag, entry.name), []).append(spec_hash)
        return found


def pair_documents(old: Document, new: Document, path: str) -> PairedPackages:
    """Return the packages of two versions of a document; raises FormatError where one is bad."""
    entries = new.in_common(old)
    common = _InCommon(new, entries)
    before, after = (
        {(package.tag, package.name): package for package in document.packages_besides(entries)}
        for document in (old, new)
    )
    graphs = old.graphs, new.graphs
    pairs, unchanged = [], []
    for tag, name in sorted({*before, *after, *common.numbers}):
        key = tag, name
        mine, theirs, same = before.get(key), after.get(key), common.numbers.get(key, {})
        specs = theirs.specs if theirs else {}
        if (mine.specs if mine else {}) == specs:
            by_stacks = count_by_stacks(Counter(specs.values()) if specs else {}, same)
            unchanged.append(PackageCounts(tag, name, by_stacks))
        else:
            kept = partial(common.specs, tag, name) if same else none_kept
            pairs.append(pair_packages((tag, tag), mine, theirs, path, graphs, same, kept))
    return PairedPackages(pairs, unchanged)


def pair_packages(
    tags: Tags,
    old: Package | None,
    new: Package | None,
    document: str = "",
    graphs: tuple[StackGraphs, StackGraphs] = NO_GRAPHS,
    in_common: Mapping[InCommon, int] = {},
    kept: KeptSpecs = none_kept,
) -> PackagePair:
    """Return a package on both sides; None means that a side does not have it.

    What has the same hash, version and stacks on both sides is only counted. `graphs` are those of
    both sides: the document of a package that is new has dependencies on the old side, too. Beside
    these specs both sides have what is `in_common`, which `kept` reads.
    """
    before: Mapping[str, Build] = old.specs if old else {}
    after: Mapping[str, Build] = new.specs if new else {}
    removed = {key: build for key, build in before.items() if after.get(key) is not build}
    added = {key: build for key, build in after.items() if before.get(key) is not build}
    common = Counter(before.values())
    common.subtract(removed.values())
    for key in removed.keys() & added.keys():
        build, twin = removed[key], added[key]
        if build.stacks == twin.stacks and build.version_text == twin.version_text:
            common[twin] += 1
            del removed[key], added[key]
    package = old or new
    assert package is not None
    own_graphs = _graphs_of(package.stack, (old, new), graphs)
    if own_graphs:
        own = tuple((key, build) for key, build in after.items() if key not in added)
    else:  # nobody asks which of them it is, and a page has thousands that were built alike
        own = tuple(("", build) for build in +common)
    return PackagePair(
        tags=tags,
        name=package.name,
        old=removed,
        new=added,
        common=counted_in_common(common, in_common),
        kept=lambda: chain(own, kept()),
        document=document,
        graphs=own_graphs,
    )


def _graphs_of(
    stack: str | None,
    packages: tuple[Package | None, Package | None],
    graphs: tuple[StackGraphs, StackGraphs],
) -> tuple[Graph, Graph] | None:
    old, new = (
        package.graph if package else known.get(stack)
        for package, known in zip(packages, graphs, strict=True)
    )
    return (old, new) if old is not None and new is not None else None


def pair_lists(
    old: Sequence[Package], new: Sequence[Package]
) -> Iterator[tuple[Package | None, Package | None]]:
    """Yield the packages of one name that the documents of two tags list, stack by stack.

    Where one side's documents list a whole stack each and the other's do not (an index here, a page
    there), all of a side is one package.
    """
    stacks = {package.stack for package in (*old, *new)}
    if None in stacks and len(stacks) > 1:
        yield _united(old), _united(new)
        return
    before = {package.stack: package for package in old}
    after = {package.stack: package for package in new}
    for stack in sorted(stacks, key=lambda name: name or ""):
        yield before.get(stack), after.get(stack)


def _united(packages: Sequence[Package]) -> Package | None:
    """Return all that several documents list of a package, each spec in all its stacks."""
    if len(packages) < 2:
        return packages[0] if packages else None
    return Package(
        packages[0].tag, packages[0].name, _all_specs([package.specs for package in packages])
    )


def _all_specs(listed: Iterable[Mapping[str, Build]]) -> dict[str, Build]:
    specs: dict[str, Build] = {}
    for some in listed:
        for spec_hash, build in some.items():
            known = specs.get(spec_hash)
            specs[spec_hash] = known.with_stacks(known.stacks | build.stacks) if known else build
    return specs


def unite_pairs(pairs: Sequence[PackagePair]) -> Sequence[PackagePair]:
    """Return the pairs of one package, those put together that have a stack in common.

    A page and a lock of one tag may list the same stack: what happened to a package in it is said
    once. What only one of them has has no dependencies then.
    """
    if len(pairs) < 2:
        return pairs
    stacks = [_stacks_of(pair) for pair in pairs]
    if len(set().union(*stacks)) == sum(map(len, stacks)):
        return pairs  # as nearly always: each document lists a stack of its own
    found: list[tuple[set[str], PackagePair]] = []
    for mine, pair in zip(stacks, pairs, strict=True):
        like = [item for item in found if not mine.isdisjoint(item[0])]
        found = [item for item in found if item not in like]
        united = _unite([*(other for _, other in like), pair]) if like else pair
        found.append((mine.union(*(theirs for theirs, _ in like)), united))
    return [pair for _, pair in found]


def _stacks_of(pair: PackagePair) -> set[str]:
    builds = chain(pair.old.values(), pair.new.values())
    return set().union(
        *{build.stacks for build in builds}, *{shared.stacks for shared in pair.common}
    )


def _unite(pairs: Sequence[PackagePair]) -> PackagePair:
    common: Counter[InCommon] = Counter()
    for pair in pairs:
        common.update(pair.common)
    old, new = (
        Package("", pairs[0].name, _all_specs(specs))
        for specs in ([pair.old for pair in pairs], [pair.new for pair in pairs])
    )
    kept = [pair.kept for pair in pairs]
    return pair_packages(
        *(pairs[0].tags, old, new, pairs[0].document),
        in_common=common,
        kept=lambda: chain.from_iterable(read() for read in kept),
    )


def differs(pair: PackagePair, scope: Scope) -> bool:
    """Return whether a side has a spec in a stack that is asked for and the other has not."""
    return _has_more(pair.old, pair.new, scope) or _has_more(pair.new, pair.old, scope)


def _has_more(mine: Mapping[str, Build], other: Mapping[str, Build], scope: Scope) -> bool:
    for spec_hash, build in mine.items():
        twin = other.get(spec_hash)
        if twin is build:
            continue
        stacks = build.stacks - twin.stacks if twin else build.stacks
        if any(True for _ in scope.stacks(stacks)):
            return True
    return False
