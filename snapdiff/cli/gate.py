"""A gate: the changes that somebody does not want to see."""

from collections import Counter

from snapdiff.result import CatalogDiff, Kind

SPELLED_OUT = 50
"""How many offending lines are told before they are only counted."""


def offending_lines(diff: CatalogDiff, kinds: tuple[Kind, ...]) -> list[str]:
    """Return a line for each package, stack and version in which one of the kinds occurs.

    A tag that came or went is one line: all its specs were added or removed.
    """
    lines: Counter[str] = Counter()
    for tag in diff.tags:
        names = dict.fromkeys(name for name in (tag.old, tag.new) if name is not None)
        where = " → ".join(names)
        if tag.status != "changed":
            if Kind(tag.status) in kinds:
                lines[f"{tag.status}: tag {where}"] += max(tag.specs.old, tag.specs.new)
            continue
        for stack in tag.stacks:
            for change in stack.changes:
                if change.kind in kinds:
                    specs = [spec for spec in (change.old, change.new) if spec is not None]
                    versions = " → ".join(dict.fromkeys(spec.version for spec in specs))
                    place = f"{where}, {stack.stack}"
                    lines[f"{change.kind.value}: {change.package} {versions} in {place}"] += 1
    told = [
        f"{line} ({number} specs)" if number > 1 else line
        for line, number in list(lines.items())[:SPELLED_OUT]
    ]
    if len(lines) > SPELLED_OUT:
        told.append(f"... and {len(lines) - SPELLED_OUT:,} more lines")
    return told
