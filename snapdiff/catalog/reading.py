"""Files of two revisions as documents, and the packages of two documents as pairs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from snapdiff.errors import BadPage, FormatError, Side
from snapdiff.formats.document import Document, no_file
from snapdiff.model.packages import (
    Counted,
    KeptSpecs,
    Package,
    PackageCounts,
    PackagePair,
    Tags,
    count_by_stacks,
)
from snapdiff.model.specs import NO_GRAPHS, Build, StackGraphs
from snapdiff.sources.source import Content, Source, printable_path


def require_content(path: str, content: Content | None) -> bytes:
    """Return the bytes that a source handed over; raises FormatError where there are none."""
    if isinstance(content, FormatError):
        raise content
    return no_file(path) if content is None else content


Reading = Document | BadPage | None
"""What a file is: a document, one that cannot be read, or none at all."""


class FilePair(NamedTuple):
    """A file that differs: what it is on both sides.

    Where both are documents that list the same it `is_paired`: `pairs` are the packages of which
    one side has a spec that the other has not, `unchanged` the rest. Else each side is read whole.
    """

    path: str
    old: Reading
    new: Reading
    is_paired: bool = False
    pairs: Sequence[PackagePair] = ()
    unchanged: Sequence[PackageCounts] = ()


def read_pair(path: str, read: Callable[[Side, bool], Reading]) -> FilePair:
    """Return what a file is on both sides.

    What is a document on one side is one on the other too, or cannot be read: `read` is called with
    a side, and whether that is known.
    """
    old, new = read("old", False), read("new", False)
    if old is None and new is not None:
        old = read("old", True)
    elif new is None and old is not None:
        new = read("new", True)
    if isinstance(old, Document) and isinstance(new, Document) and new.is_version_of(old):
        try:
            return pair_documents(old, new, path)
        except FormatError:
            pass  # read whole, the one that is to blame says so
    return FilePair(path, read_whole(old, path, "old"), read_whole(new, path, "new"))


def read_missing(source: Source, path: str, side: Side) -> Reading:
    """Return what is on one side in the place of a document of the other, which has no file."""
    fault = source.why_not_there(path)
    return BadPage(printable_path(path), side, fault) if fault else None


def read_whole(reading: Reading, path: str, side: Side) -> Reading:
    """Return a document of which everything can be read, or else the bad page that it is."""
    try:
        if isinstance(reading, Document):
            _ = reading.packages
    except FormatError as error:
        return BadPage(path, side, str(error))
    return reading


def pair_documents(old: Document, new: Document, path: str) -> FilePair:
    """Return the packages of two versions of a document; raises FormatError where one is bad."""
    entries = new.in_common(old)
    in_common: dict[tuple[str, str], dict[Build | Counted, int]] = {}
    for entry, number in Counter(entries.values()).items():
        for tag in entry.tags:
            in_common.setdefault((tag, entry.name), {})[entry] = number

    @cache
    def hashes() -> Mapping[tuple[str, str], list[str]]:
        found: dict[tuple[str, str], list[str]] = {}
        for spec_hash, entry in entries.items():
            for tag in entry.tags:
                found.setdefault((tag, entry.name), []).append(spec_hash)
        return found

    def kept(key: tuple[str, str]) -> Iterable[tuple[str, Build]]:
        return new.builds(hashes()[key])

    before, after = (
        {(package.tag, package.name): package for package in document.packages_besides(entries)}
        for document in (old, new)
    )
    graphs = old.graphs, new.graphs
    pairs, unchanged = [], []
    for key in sorted({*before, *after, *in_common}):
        tag, name = key
        mine, theirs, same = before.get(key), after.get(key), in_common.get(key, {})
        specs = theirs.specs if theirs else {}
        if (mine.specs if mine else {}) == specs:
            own = Counter(specs.values()).items() if specs else ()
            by_stacks = count_by_stacks(chain(own, same.items()))
            unchanged.append(PackageCounts(tag, name, by_stacks))
        else:
            read = partial(kept, key) if same else tuple
            pairs.append(pair_packages((tag, tag), mine, theirs, path, graphs, same, read))
    return FilePair(path, old, new, is_paired=True, pairs=pairs, unchanged=unchanged)


def pair_packages(
    tags: Tags,
    old: Package | None,
    new: Package | None,
    document: str,
    graphs: tuple[StackGraphs, StackGraphs] = NO_GRAPHS,
    in_common: Mapping[Build | Counted, int] = {},
    kept: KeptSpecs = tuple,
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
    for key in removed.keys() & added.keys():
        build, twin = removed[key], added[key]
        if build.stacks == twin.stacks and build.version_text == twin.version_text:
            del removed[key], added[key]
    same = {key: build for key, build in after.items() if key not in added}
    numbers = Counter(same.values())
    package = old or new
    assert package is not None
    mine, theirs = (
        one.graph if one else known.get(package.stack)
        for one, known in zip((old, new), graphs, strict=True)
    )
    own_graphs = None if mine is None or theirs is None else (mine, theirs)
    own = same.items() if own_graphs else ()
    return PackagePair(
        tags=tags,
        name=package.name,
        old=removed,
        new=added,
        common=dict(chain(in_common.items(), numbers.items())),
        # Of a page nobody asks which of them it is, and it has thousands that were built alike.
        kept=lambda: chain(own if own_graphs else (("", build) for build in numbers), kept()),
        document=document,
        graphs=own_graphs,
    )


def pairs_of_package(
    tags: Tags,
    of_documents: Iterable[PackagePair],
    old: Iterable[Package],
    new: Iterable[Package],
    graphs: tuple[StackGraphs, StackGraphs],
) -> Sequence[PackagePair]:
    """Return a package of two tags in pairs, each with all of the stacks that it is about.

    Some pairs are of documents that both sides have; what others list is paired stack by stack. A
    page and a lock may list the same stack, on one side or on two: what happened in it is said
    once. What only one of them has has no dependencies then.
    """
    by_stack: dict[str, tuple[list[Package], list[Package]]] = {}
    for side, packages in enumerate((old, new)):
        for package in packages:
            by_stack.setdefault(package.stack or "", ([], []))[side].append(package)
    pairs = [*of_documents]
    for _, (mine, theirs) in sorted(by_stack.items()):
        for before, after in zip_longest(mine, theirs):
            document = after.document if after else ""
            pairs.append(pair_packages(tags, before, after, document, graphs))
    if len(pairs) < 2:
        return pairs
    stacks = [
        set[str]().union(*(it.stacks for it in (*one.old.values(), *one.new.values(), *one.common)))
        for one in pairs
    ]
    if len(set[str]().union(*stacks)) == sum(map(len, stacks)):
        return pairs  # as nearly always: each document lists a stack of its own
    groups: list[tuple[set[str], list[PackagePair]]] = []
    for about, pair in zip(stacks, pairs, strict=True):
        group = about, [pair]
        for other in [it for it in groups if not about.isdisjoint(it[0])]:
            groups.remove(other)
            group = group[0] | other[0], [*other[1], *group[1]]
        groups.append(group)
    return [_unite(some) if len(some) > 1 else some[0] for _, some in groups]


def _all_specs(listed: Iterable[Mapping[str, Build]]) -> Mapping[str, Build]:
    """Return all the specs that several documents list, each in all its stacks."""
    specs: dict[str, Build] = {}
    for some in listed:
        for spec_hash, build in some.items():
            known = specs.get(spec_hash)
            if known:
                build = replace(known, stacks=known.stacks | build.stacks)
            specs[spec_hash] = build
    return specs


def _unite(pairs: Sequence[PackagePair]) -> PackagePair:
    common: Counter[Build | Counted] = Counter()
    for pair in pairs:
        common.update(pair.common)
    name = pairs[0].name
    return pair_packages(
        pairs[0].tags,
        Package("", name, _all_specs(pair.old for pair in pairs)),
        Package("", name, _all_specs(pair.new for pair in pairs)),
        pairs[0].document,
        in_common=common,
        kept=lambda: chain.from_iterable(pair.kept() for pair in pairs),
    )
