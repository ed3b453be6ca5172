"""Which package of the old side belongs to which of the new one; bad pages count on neither."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from itertools import chain
from typing import TypeVar

from msgspec.structs import replace

from snapdiff.catalog.compared_files import ComparedFiles
from snapdiff.catalog.reading import FilePair, Reading, pairs_of_package
from snapdiff.catalog.renamed_stacks import (
    Packages,
    StackNames,
    find_renamed,
    followed_stack,
    rename_graphs,
    rename_package,
    rename_specs,
)
from snapdiff.catalog.sides import (
    CatalogSide,
    CountedFiles,
    Listed,
    add_package,
    count_hashes,
    repeated_claims,
)
from snapdiff.errors import BadPage, Side
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, Document
from snapdiff.model.packages import (
    Counted,
    PackageCounts,
    PackagePair,
    SpecCounts,
    StackDocuments,
    TagPair,
    Tags,
    count_by_stacks,
)
from snapdiff.model.specs import EMPTY_PART, StackGraphs, asked_for_on_one_side

_Tag = TypeVar("_Tag")

Warn = Callable[[str], None]

PairOrBadPage = PackagePair | TagPair | BadPage
"""What matching yields: packages as they are found, then each tag, then what cannot be read."""


def match_packages(
    files: ComparedFiles, scope: Scope, *, allow_empty: bool, warn: Warn
) -> Iterator[PairOrBadPage]:
    """Yield the packages of two revisions in pairs, then every tag with its counts.

    Nothing is yielded before all that differs is read: only then it is known which stacks have
    another name on the other side. A tag follows all its packages. Bad documents are yielded last;
    what they list is left out on both sides. `warn` is called where a document contradicts itself.
    Raises RevisionError where a side has no document at all (unless `allow_empty`).
    """
    matching = _Matching(files, scope, warn)
    has_both_sides = matching.read_changed()
    if not (allow_empty or has_both_sides):
        files.require_documents()
    matching.count_unchanged()
    matching.leave_out_repeated()
    for tags in matching.tag_pairs():
        yield from matching.close_tag(tags)
    yield from matching.bad_pages


def followed_tag(old: Collection[_Tag], new: Collection[_Tag]) -> tuple[_Tag, _Tag] | None:
    """Return the only tag of each side, where the two have other names (section 2), or None."""
    if len(old) != 1 or len(new) != 1 or set(old) == set(new):
        return None
    return next(iter(old)), next(iter(new))


class _Matching:
    """The state of one matching."""

    def __init__(self, files: ComparedFiles, scope: Scope, warn: Warn) -> None:
        self._files = files
        self._scope = scope
        self._warn = warn
        self._names = dict(scope.filters.stack_names)
        old, new = files.sources
        self._old = CatalogSide(old.prefix, self._names)
        self._new = CatalogSide(new.prefix, {})
        self._sides: dict[Side, CatalogSide] = {"old": self._old, "new": self._new}
        self._pairs: dict[Tags, list[PackagePair]] = {}
        self._changed: set[str] = set()
        self._folders: dict[str | None, set[str]] = defaultdict(set)
        self._touched: set[str | None] = set()
        self._elsewhere: AbstractSet[str | None] = frozenset()
        self._in_common = CountedFiles(scope)
        """Packages of which two versions of a document have the same."""
        self._unchanged: dict[str | None, list[CountedFiles]] = defaultdict(list)
        """Documents of each tag that are the same on both sides, folder by folder."""
        self.bad_pages: list[BadPage] = []

    def read_changed(self) -> bool:
        """Read all that differs; return whether both sides have a document there."""
        for found in self._files.changed():
            self._changed.add(found.path)
            self._add_file(found)
        return all(side.paths or side.bad for side in (self._old, self._new))

    def _add_file(self, found: FilePair) -> None:
        documents: dict[Side, Document] = {}
        is_bad = False
        readings: dict[Side, Reading] = {"old": found.old, "new": found.new}
        for side, reading in readings.items():
            if isinstance(reading, BadPage):
                is_bad = True
                self._add_bad_page(reading)
            elif reading is not None:
                documents[side] = reading
                self._sides[side].add(found.path, reading)
                self._note_folders(found.path, reading.claims)
                if reading.warning:
                    path = self._files.shown_path(found.path, side)
                    self._warn(f"{path}: {reading.warning}")
        if is_bad:
            # What one side says that a bad document lists, it lists on the other side too.
            for side, document in documents.items():
                self._leave_out(self._sides[side].compared_claims(document.claims))
        elif found.is_paired:
            self._keep(found, documents["old"], documents["new"])
        else:
            for side, document in documents.items():
                self._sides[side].wait(found.path, document)

    def _keep(self, found: FilePair, old: Document, new: Document) -> None:
        """Keep what two versions of a document list; where anything asked for differs, note tags.

        Packages that are not asked for say, too, which stacks are alike.
        """
        self._old.keep_graphs(old)
        self._new.keep_graphs(new)
        if any(asked_for_on_one_side(old.graphs, new.graphs).values()):
            self._touched.update(claim.tag for claim in (*old.claims, *new.claims))
        if found.unchanged:
            same = Document(new.kind, new.claims, counts=found.unchanged)
            self._in_common.put(found.path, same)
        for pair in found.pairs:
            if self._scope.has_tag(*pair.tags):
                renamed = replace(pair, old=rename_specs(pair.old, self._names))
                self._pairs.setdefault(pair.tags, []).append(renamed)
                builds = chain(renamed.old.values(), renamed.new.values())
                in_stacks = any(self._scope.stacks(build.stacks) for build in builds)
                if self._scope.has_package(pair.name) and in_stacks:
                    self._touched.update(pair.tags)

    def _add_bad_page(self, page: BadPage) -> None:
        self.bad_pages.append(page)
        claim = self._sides[page.side].add_bad(page.path, self._files.documents)
        self._note_folders(page.path, [claim])

    def _note_folders(self, path: str, claims: Iterable[Claim]) -> None:
        """Note in which folder the documents of a tag are, one of which has this path."""
        folder = self._files.documents.tag_folder(path)
        parts = folder.split("/")
        for tag in {claim.tag for claim in claims}:
            # In a folder with the name of the tag, documents may be at any depth.
            named = parts[: parts.index(tag) + 1] if tag in parts else parts
            self._folders[tag].add("/".join(named))

    def _leave_out(self, claims: Iterable[Claim]) -> None:
        self._old.bad.update(claims)
        self._new.bad.update(claims)

    def count_unchanged(self) -> None:
        """Count what does not differ, in those tags in which something does."""
        old, new = self._old, self._new
        self._touched.update(old.waiting, old.bad_tags(), new.waiting, new.bad_tags())
        folders = set().union(*(self._folders[tag] for tag in self._touched))
        if one_sided := old.paths.keys() ^ new.paths.keys():
            # What seems to be added or removed may be on both sides in another folder. A folder's
            # documents are of one tag, so one of them is enough.
            for folder, document in self._samples.items():
                if any(claim.tag in one_sided for claim in document.claims):
                    folders.add(folder)
        for counted in self._files.count_folders(folders, self._changed, self._scope):
            for tag, listed in counted.paths.items():
                if listed:
                    self._unchanged[tag].append(counted)
            for page in counted.bad.values():
                self._add_bad_page(page)
                self._add_bad_page(BadPage(page.path, "new", page.reason))
            for path, found in counted.documents.items():
                if found.warning:
                    self._warn(f"{self._files.shown_path(path, 'new')}: {found.warning}")

    @cached_property
    def _samples(self) -> Mapping[str, Document]:
        """One document of each tag's folder that is the same on both sides."""
        return self._files.samples(self._changed)

    def leave_out_repeated(self) -> None:
        """Make a bad page of each document that lists what one before it lists."""
        for name, side in self._sides.items():
            other = self._old if side is self._new else self._new
            repeated: list[str] = []
            for tag in sorted(side.paths.keys() | self._unchanged.keys(), key=str):
                for claim, paths in repeated_claims(self._listed(name, tag), tag).items():
                    self._leave_out([claim])
                    of_tag = "" if tag == EMPTY_PART else f" of tag {tag}"
                    what = f"{claim.what} {claim.name}{of_tag} is already in {paths[0]}"
                    self.bad_pages += [BadPage(path, name, what) for path in paths[1:]]
                    repeated += paths[1:]
            # What was there under another title is not gone, only unreadable.
            self._leave_out(other.packages_on(frozenset(repeated)))

    def _listed(self, side: Side, tag: str | None) -> Sequence[Listed]:
        """Return the documents that list something of a tag on one side."""
        return [*self._unchanged.get(tag, ()), self._sides[side]]

    def tag_pairs(self) -> list[Tags]:
        """Return which tag is compared with which (specification, section 2)."""
        sides = self._old, self._new
        old_tags, new_tags = ({*side.paths, *self._unchanged} for side in sides)
        near = set().union(*(self._folders[tag] for tag in old_tags ^ new_tags))
        more = self._elsewhere = self._files.tags_elsewhere(old_tags, new_tags, near)
        old_tags, new_tags = old_tags | more, new_tags | more
        every = (it.tags(self._unchanged, self._files.documents) | more for it in sides)
        followed = followed_tag(*every)
        if followed and not self._samples:
            return [followed]
        # A tag whose documents cannot be read on one side is neither added nor removed.
        before = old_tags | (new_tags & self._old.bad_tags())
        after = new_tags | (old_tags & self._new.bad_tags())
        return [
            (tag if tag in before else None, tag if tag in after else None)
            for tag in sorted(before | after, key=str)
        ]

    def close_tag(self, tags: Tags) -> Iterator[PairOrBadPage]:
        if not self._scope.has_tag(*tags):
            return
        old, new = tags
        waiting = self._old.waiting.get(old, {}), self._new.waiting.get(new, {})
        same = [self._in_common, *self._unchanged.get(new, ())]  # of a tag that both sides have
        counts = SpecCounts()
        for counted in same:
            counts.merge(counted.counts(new, self._bad[new]))
        pairs = self._pairs.pop(tags, [])
        bad_stacks = self._left_out(tags, "stack")
        documents = self._kinds("old", old), self._kinds("new", new)
        folders = self._folders[old] | self._folders[new]
        is_cut = new in self._elsewhere or self._files.is_cut(folders)
        whole = {*chain(*documents)} if is_cut else None
        renamed: StackNames = {}
        if old is not None and new is not None:
            in_both = chain.from_iterable(it.packages(new) for it in same)
            renamed = self._followed_stack or find_renamed(
                pairs, waiting, in_both, bad_stacks, self._scope, whole
            )
        old_graphs = rename_graphs(self._old.graphs.get(old, {}), renamed)
        graphs = old_graphs, self._new.graphs.get(new, {})
        unchanged: dict[str, set[str]] = {}
        if old is None or new is None:
            for package in chain.from_iterable((waiting[0] or waiting[1]).values()):
                by_stacks = count_by_stacks(Counter(package.specs.values()).items())
                counted = PackageCounts(package.tag, package.name, by_stacks)
                add_package(counts, counted, self._scope)
        else:
            names = set().union(*asked_for_on_one_side(*graphs).values())
            for pair in self._pairs_of_tag(tags, pairs, waiting, renamed, graphs):
                names.add(pair.name)
                yield pair
            for package in chain.from_iterable(it.packages(new) for it in same):
                if package.name in names:
                    for stack in self._scope.stacks(frozenset().union(*package.by_stacks)):
                        unchanged.setdefault(stack, set()).add(package.name)
        yield TagPair(
            tags=tags,
            counts=counts,
            left_out_stacks=bad_stacks,
            hashes=(
                self._count_hashes("old", tags, {**self._names, **renamed}),
                self._count_hashes("new", tags, {}),
            ),
            graphs=graphs,
            documents=documents,
            is_cut=is_cut,
            renamed={it: was for was, it in renamed.items() if EMPTY_PART not in (was, it)},
            unchanged=unchanged,
        )

    @cached_property
    def _followed_stack(self) -> StackNames:
        """The new name of the only stack there is, where it has a name on one side alone."""
        if self._unchanged:
            return {}
        return followed_stack(self._old.claims(), self._new.claims(), self._scope)

    def _pairs_of_tag(
        self,
        tags: Tags,
        pairs: list[PackagePair],
        waiting: tuple[Packages, Packages],
        renamed: StackNames,
        graphs: tuple[StackGraphs, StackGraphs],
    ) -> Iterator[PackagePair]:
        """Yield the packages of a tag that are asked for, those that waited put into pairs."""
        before, after = waiting
        found: dict[str, list[PackagePair]] = {}
        for pair in pairs:
            pair = replace(pair, old=rename_specs(pair.old, renamed))
            found.setdefault(pair.name, []).append(pair)
        names = found.keys() | before.keys() | after.keys()
        names -= self._left_out(tags, "package")
        for name in sorted(filter(self._scope.has_package, names)):
            same, theirs = found.get(name, ()), after.get(name, ())
            mine = (rename_package(package, renamed) for package in before.get(name, ()))
            yield from pairs_of_package(tags, same, mine, theirs, graphs)

    def _kinds(self, side: Side, tag: str | None) -> StackDocuments:
        """Return what kind of document lists each whole stack of a tag."""
        listings = chain.from_iterable(it.listings(tag) for it in self._listed(side, tag))
        return {stack: document.kind for stack, document in listings}

    def _count_hashes(self, side: Side, tags: Tags, names: StackNames) -> int | None:
        """Return how many specs a side of a tag has, where their numbers do not add up."""
        packages, stacks = (self._left_out(tags, what) for what in ("package", "stack"))

        def is_counted(entry: Counted) -> bool:
            listed = frozenset(names.get(stack, stack) for stack in entry.stacks)
            is_wanted = entry.name not in packages and self._scope.has_package(entry.name)
            return is_wanted and not self._scope.stacks(listed) <= stacks

        read_pages = partial(self._files.read_again, side)
        tag = tags[side == "new"]
        return count_hashes(tag, self._listed(side, tag), is_counted, read_pages)

    @cached_property
    def _bad(self) -> Mapping[str | None, set[Claim]]:
        """What bad documents of either side list of each tag, once it is known."""
        found: dict[str | None, set[Claim]] = defaultdict(set)
        for claim in self._old.bad | self._new.bad:
            found[claim.tag].add(claim)
        return found

    def _left_out(self, tags: Tags, what: str) -> frozenset[str]:
        claims = self._bad[tags[0]] | self._bad[tags[1]]
        return frozenset(claim.name for claim in claims if claim.what == what)
