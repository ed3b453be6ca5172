"""A gate: what somebody does not want to happen to a package, a stack or a tag."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snapdiff.reports.lost_builds import builds_in_words
from snapdiff.reports.names import readable, tag_names
from snapdiff.reports.package_counts import tags_worst_first
from snapdiff.reports.package_lines import PackageLine, package_lines
from snapdiff.result import CatalogDiff, Kind, TagDiff

SPELLED_OUT = 50
"""How many offending lines are printed before they are only counted."""


class Offender(Struct, frozen=True, kw_only=True):
    """What somebody does not want to happen, and it did: to packages, a stack or a tag.

    `packages` are those that did the same in the same `stacks`. Without packages the stack itself
    is removed or added, without stacks the tag is. `tag` is as people read it: `old → new` where
    the two names differ, empty where it is the only one and called `.`. `text` is all of it in one
    line.
    """

    kind: Kind
    tag: str
    stacks: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    text: str


def find_offenders(diff: CatalogDiff, kinds: tuple[Kind, ...]) -> list[Offender]:
    """Return the packages that one of the kinds happened to, those alike as one, worst tag first.

    What kept a version and lost a build is removed, whatever its kind. A tag or stack that is
    removed or added is one offender, whatever it holds. A hash that names another version or
    package than on the other side is one, whatever the kinds are. The diff is to be one that is
    not narrowed to kinds (docs/specification.md, section 9).
    """
    if not kinds:
        return []
    tags = tags_worst_first(readable(diff).tags)
    return [offender for tag in tags for offender in _offenders_of_tag(tag, kinds)]


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return some lines; of very many the first ones, and the number of the rest."""
    told = list(lines[:SPELLED_OUT])
    if len(lines) > SPELLED_OUT:
        told.append(f"... and {len(lines) - SPELLED_OUT:,} more lines")
    return told


def _offenders_of_tag(tag: TagDiff, kinds: tuple[Kind, ...]) -> Iterator[Offender]:
    name = " → ".join(tag_names(tag))
    if tag.status != "changed":
        kind = Kind(tag.status)
        if kind in kinds:
            yield Offender(kind=kind, tag=name, text=f"{kind.value}: tag {name}")
        return
    for conflict in tag.hash_conflicts or ():
        told = [f"{name.package} {name.version}" for name in (conflict.old, conflict.new)]
        yield Offender(
            kind=kinds[0],
            tag=name,
            packages=(conflict.new.package,),
            text=f"one hash, {conflict.hash}: {' → '.join(told)}{f' in {name}' if name else ''}",
        )
    for stack in tag.stacks:
        if stack.status in ("removed", "added") and Kind(stack.status) in kinds:
            yield Offender(
                kind=Kind(stack.status),
                tag=name,
                stacks=(stack.stack,),
                text=f"{stack.status}: stack {stack.stack}{f' in {name}' if name else ''}",
            )
    both = [stack for stack in tag.stacks if stack.status in ("changed", "unchanged")]
    for line in package_lines(tag, both):
        found = line.kind in kinds
        if found or (line.lost_a_build and Kind.REMOVED in kinds):
            kind = line.kind if found else Kind.REMOVED
            places = ", ".join(place for place in (name, *line.stacks) if place)
            yield Offender(
                kind=kind,
                tag=name,
                stacks=line.stacks,
                packages=line.packages,
                text=f"{kind.value}: {_packages(line)}{f' in {places}' if places else ''}",
            )


def _packages(line: PackageLine) -> str:
    """Return packages with their versions and builds: `hipblas, rccl 6.3.3, 6.4.0 → 6.2.4`."""
    versions = [", ".join(some) for some in (line.gone, line.came) if some]
    if not versions:
        versions = [", ".join(line.kept)] if line.kept else []
    words = " ".join([", ".join(line.packages), *([" → ".join(versions)] if versions else [])])
    return words + builds_in_words(line, str)
