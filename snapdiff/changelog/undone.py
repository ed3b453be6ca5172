"""What a changelog undoes: packages that came and went between its ends, or went and came back."""

from typing import NamedTuple

from snapdiff.changelog.sections import SectionEnd
from snapdiff.reports.names import readable, tag_names
from snapdiff.result.changes import CatalogDiff
from snapdiff.result.packages import Kind


class Undone(NamedTuple):
    """A package that was added and is removed again, or, if it `is_back`, the other way round.

    `when` are the days or names of the first section that says it and of the last, `stacks` are
    those where it was so, if there are several in the catalog.
    """

    package: str
    is_back: bool
    when: tuple[str, str]
    stacks: tuple[str, ...]


class Undoing:
    """Follows whole packages from section to section; dependencies are none of them."""

    def __init__(self) -> None:
        """Begin before the first section."""
        self._steps: dict[tuple[str, str, tuple[str, ...]], list[tuple[Kind, str]]] = {}
        self._stacks: set[str] = set()

    def follow(self, end: SectionEnd, diff: CatalogDiff) -> None:
        """Take the next section, from the oldest to the newest."""
        for tag in (it for it in readable(diff).tags if it.status == "changed"):
            names = tag_names(tag)
            tag_name = names if len(names) == 1 else ()  # each week has another name
            for stack in tag.stacks:
                self._stacks.add(stack.stack)
                for change in stack.package_changes if stack.status == "changed" else ():
                    if change.whole and not change.is_dependency:
                        steps = self._steps.setdefault((change.package, stack.stack, tag_name), [])
                        steps.append((change.kind, end.day or end.name))

    def found(self) -> list[Undone]:
        """Return what was undone so far, by name."""
        stacks: dict[tuple[str, bool, tuple[str, str]], set[str]] = {}
        for (package, stack, _), steps in self._steps.items():
            (first, began), (last, ended) = steps[0], steps[-1]
            if first is not last:
                key = package, last is Kind.ADDED, (began, ended)
                stacks.setdefault(key, set()).add(stack)
        is_placed = len(self._stacks) > 1
        return [
            Undone(*key, tuple(sorted(some)) if is_placed else ())
            for key, some in sorted(stacks.items())
        ]
