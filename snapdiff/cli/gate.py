"""A gate: what somebody does not want to happen to a package, a stack or a tag."""

from collections.abc import Iterator

from snapdiff.reports.only_names import without_only_names
from snapdiff.reports.package_counts import tags_worst_first
from snapdiff.reports.package_lines import PackageLine, package_lines
from snapdiff.reports.short_list import tag_names
from snapdiff.result import CatalogDiff, Kind, TagDiff

SPELLED_OUT = 50
"""How many offending lines are printed before they are only counted."""


def offending_lines(diff: CatalogDiff, kinds: tuple[Kind, ...]) -> list[str]:
    """Return a line for each package that one of the kinds happened to, with all its stacks.

    A tag or stack that is removed or added is one line, whatever it holds. The diff is to be one
    that is not narrowed to kinds (docs/specification.md, section 9).
    """
    if not kinds:
        return []
    tags = tags_worst_first(without_only_names(diff).tags)
    lines = [line for tag in tags for line in _lines_of_tag(tag, kinds)]
    told = lines[:SPELLED_OUT]
    if len(lines) > SPELLED_OUT:
        told.append(f"... and {len(lines) - SPELLED_OUT:,} more lines")
    return told


def _lines_of_tag(tag: TagDiff, kinds: tuple[Kind, ...]) -> Iterator[str]:
    name = " → ".join(tag_names(tag))
    if tag.status != "changed":
        if Kind(tag.status) in kinds:
            yield f"{tag.status}: tag {name}"
        return
    for stack in tag.stacks:
        if stack.status in ("removed", "added") and Kind(stack.status) in kinds:
            yield f"{stack.status}: stack {stack.stack}{f' in {name}' if name else ''}"
    both = [stack for stack in tag.stacks if stack.status in ("changed", "unchanged")]
    for line in package_lines(tag, both):
        if line.kind in kinds:
            places = ", ".join(place for place in (name, *line.stacks) if place)
            yield f"{line.kind.value}: {_packages(line)}{f' in {places}' if places else ''}"


def _packages(line: PackageLine) -> str:
    """Return packages with their versions: `hipblas, rccl 6.3.3, 6.4.0 → 6.2.4`."""
    versions = [", ".join(some) for some in (line.gone, line.came) if some]
    if not versions:
        versions = [", ".join(line.kept)] if line.kept else []
    return " ".join([", ".join(line.packages), *([" → ".join(versions)] if versions else [])])
