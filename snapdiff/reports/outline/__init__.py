"""The finished diff in the order in which people read it: a sentence, reasons, lines, numbers.

Every report for people prints this and nothing else. The words are in `templates/`.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from snapdiff.filters import reports_all, wanted_kinds
from snapdiff.model.packages import noun_of
from snapdiff.reports import GroupBy
from snapdiff.reports.moves.of_stacks import Back
from snapdiff.reports.moves.statuses import Status
from snapdiff.reports.moves.two_builds import with_builds_apart
from snapdiff.reports.names import only_place, readable, side_names, tag_names
from snapdiff.reports.outline.class_counts import Numbers
from snapdiff.reports.outline.counting import count_by_class
from snapdiff.reports.outline.counts import count_table, tags_worst_first
from snapdiff.reports.outline.groups import FEW_QUIET
from snapdiff.reports.outline.lines import PackageLine, followers_of, spec_lines
from snapdiff.reports.outline.outline import Outline
from snapdiff.reports.outline.parts import SHORT
from snapdiff.reports.outline.tag_block import TagWriter
from snapdiff.reports.outline.whole_stacks import likely_renames, stack_news
from snapdiff.result.changes import CatalogDiff, PackageCount, StackDiff, TagDiff
from snapdiff.result.packages import Kind

_WITHOUT_CAUSES = {"page", "site data"}
"""The documents that may list no dependencies, and then do not say why something was rebuilt."""


def outline_of(
    diff: CatalogDiff,
    group_by: GroupBy,
    *,
    details: bool = False,
    has_table: bool = False,
    back: Back | None = None,
) -> Outline:
    """Return what there is to say of a diff, the worst first everywhere.

    With `details` there is every spec, with `has_table` products are a table where that is good.
    What is new and was there before is not called new if it is `back`.
    """
    diff = with_builds_apart(readable(diff))
    kinds, both = wanted_kinds(diff.filters), (Kind.REMOVED, Kind.ADDED)
    asks = kinds.issuperset(both) and not diff.filters.no_renames
    changed = [tag for tag in tags_worst_first(diff.tags) if tag.status == "changed"]
    writers = [
        TagWriter(tag, diff.filters, details=details, has_table=has_table, back=back or {})
        for tag in changed
    ]
    every = [line for writer in writers for line in writer.lines]
    has_products = any(writer.has_products for writer in writers)
    counted = count_table(diff, {tag_names(writer.tag): writer.by_stack for writer in writers})
    told = [line for line in every if line.status is not Status.REBUILT] or every
    news = [line for line in every if not (line.is_dependency or line.status.is_quiet)]
    is_long = max(len(every), sum(len(line.packages) for line in news)) > SHORT
    is_counted = is_long and kinds.issuperset({*Kind} - {Kind.REBUILT}) and not diff.filters.because
    is_one_line = len(told) == len(diff.tags) == 1 and group_by == "package"
    is_one_line = is_one_line and len(told[0].packages) <= FEW_QUIET
    stacks = [stack for tag in diff.tags for stack in tag.stacks]
    has_all = not (diff.filters.stack or diff.filters.path or diff.skipped)
    followers = followers_of(told[0], every, stacks) if is_one_line else ()
    said = every if followers else told if is_one_line else ()
    blocks = [writer.block(group_by, said) for writer in writers]
    sides = side_names(diff.old, diff.new)
    return Outline(
        sides=sides,
        noun=noun_of(stack.document for stack in stacks),
        about="product" if has_products else "package",
        packages=_numbers(every, of_dependencies=False, in_one_tag=len(changed) == 1),
        dependencies=_numbers(every, of_dependencies=True, in_one_tag=len(changed) == 1),
        stacks=_number_of_stacks(writers),
        without_causes=_without_causes(stacks),
        is_one_stack=len(stacks) == 1,
        only_place=only_place(changed[0], sides, diff.filters.tag) if len(changed) == 1 else (),
        only_line=told[0] if is_one_line else None,
        followers=followers,
        is_because=bool(diff.filters.because),
        is_all=reports_all(diff.filters),
        specs=() if every else spec_lines([stack for tag in changed for stack in tag.stacks]),
        one_sided={kind: tuple(it for it in diff.tags if it.status == kind.value) for kind in both},
        whole_stacks={
            it: tuple(stack_news(diff.tags, it, has_all=has_all) if it in kinds else ())
            for it in both
        },
        hash_conflicts=tuple(it for tag in diff.tags for it in tag.hash_conflicts or ()),
        renames=tuple(likely_renames(diff.tags)) if asks else (),
        counted=counted,
        tags=tuple(blocks),
        several_changed=len(changed) > 1,
        has_all_stacks=has_all,
        in_all=_in_all(changed, has_products=has_products) if is_counted else None,
        skipped=diff.skipped,
    )


def _without_causes(stacks: Sequence[StackDiff]) -> bool:
    causes = (it for stack in stacks for it in stack.causes)
    is_known = any(it.package or it.what == "rehash" for it in causes)
    return not is_known and _WITHOUT_CAUSES.issuperset(it.document for it in stacks)


def _numbers(lines: Iterable[PackageLine], *, of_dependencies: bool, in_one_tag: bool) -> Numbers:
    """Return how many packages there are; of several tags nobody knows of which a stack is."""
    found = count_by_class(line for line in lines if line.is_dependency is of_dependencies)
    if not in_one_tag:
        found = tuple(replace(it, place=None, in_stacks=0, version="") for it in found)
    return Numbers(by_class=found)


def _in_all(changed: Sequence[TagDiff], *, has_products: bool) -> PackageCount | None:
    if len(changed) != 1:
        return None
    [tag] = changed
    return (tag.products or None) if has_products else tag.packages


def _number_of_stacks(writers: Sequence[TagWriter]) -> int:
    """Return how many stacks of both sides have what is news of products, or else what is not."""
    tags = [writer.tag for writer in writers]
    lines = ((it.tag, line) for it in writers for line in it.lines if not line.is_dependency)
    every = ((tag_names(tag), move) for tag, line in lines for move in line.moves)
    moves = [it for it in every if not it[1].is_beside]
    news = [it for it in moves if not it[1].status.is_quiet]
    news = news or [it for it in moves if it[1].status is not Status.REBUILT] or moves
    both = {
        (tag_names(tag), it.stack) for tag in tags for it in tag.stacks if it.status == "changed"
    }
    return len(both.intersection((tag, stack) for tag, move in news for stack in move.stacks))
