"""The terminal: a table of stacks and a line a package, as wide as the window."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from snapdiff.model import Revision
from snapdiff.reports.markdown_text import counted
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.outline import SYMBOLS, Line, Section, TagOutline, outline, told_kinds
from snapdiff.result import CatalogDiff, Field, Filters, Kind, StackDiff, TagDiff
from snapdiff.safe_text import shown, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_STYLES = {
    Kind.REMOVED: "red",
    Kind.DOWNGRADED: "bold magenta",
    Kind.ADDED: "green",
    Kind.UPGRADED: "cyan",
    Kind.RECONFIGURED: "yellow",
    Kind.REBUILT: "dim",
}
PLAIN_WIDTH = 120
"""How many columns a report has that goes to no window."""


def render(diff: CatalogDiff, options: ReportOptions) -> Iterator[str]:
    """Yield the report tag by tag; without `color` it holds no control codes."""
    from rich.console import Console

    page = io.StringIO()
    console = Console(
        file=page,
        force_terminal=options.color,
        color_system="standard" if options.color else None,
        no_color=not options.color,
        width=options.width or PLAIN_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    _print_head(console, diff)
    for tag in outline(diff, options.group_by):
        if tag.diff.status == "changed":
            _print_tag(console, tag, told_kinds(diff))
        else:
            _print_one_sided(console, tag.diff)
        yield _taken(page)
    for skipped in diff.skipped:
        console.print(f"left out: {shown(skipped.path)} ({skipped.side}): {shown(skipped.error)}")
    yield _taken(page)


def _taken(page: io.StringIO) -> str:
    """Return what was printed so far, less the blanks a table pads its last column with."""
    text = page.getvalue()
    page.seek(0)
    page.truncate()
    return "".join(f"{line.rstrip(' ')}\n" for line in text.splitlines())


def _print_head(console: "Console", diff: CatalogDiff) -> None:
    between = f"{_revision(diff.old)} → {_revision(diff.new)}{_filters(diff.filters)}"
    if not diff.tags:
        console.print(_text(f"No changes: {between}"))
        return
    console.print(_text(between, "bold"))
    totals = _text("")
    for kind in told_kinds(diff):
        count = diff.summary.count(kind)
        totals.append(f"{count:,} {kind.value}", _STYLES[kind] if count else "dim")
        totals.append(", ")
    totals.append(f"{diff.summary.unchanged:,} unchanged", "dim")
    console.print(totals)


def _print_one_sided(console: "Console", tag: TagDiff) -> None:
    kind = Kind(tag.status)
    name = tag.new if tag.old is None else tag.old
    specs, packages = (max(count.old, count.new) for count in (tag.specs, tag.packages))
    counts = f"{counted(specs, 'spec')} of {counted(packages, 'package')}"
    console.print()
    console.print(_text(f"tag {shown(name or '')} {kind.value}: {counts}", _STYLES[kind]))


def _print_tag(console: "Console", tag: TagOutline, kinds: list[Kind]) -> None:
    console.print()
    names = dict.fromkeys(name for name in (tag.diff.old, tag.diff.new) if name is not None)
    console.print(_text(" → ".join(map(shown, names)), "bold underline"))
    console.print(_stack_table(tag.diff, kinds, console.width))
    if tag.went or tag.came:
        console.print()
    for news in (*tag.went, *tag.came):
        console.print(_news(news), soft_wrap=True)
    for stack in tag.stacks:
        console.print()
        console.print(
            _text(
                shown(stack.name)
                if stack.name is not None
                else "all stacks, each spec counted once",
                "bold",
            )
        )
        for section in stack.sections:
            _print_section(console, section, merged=stack.name is None)


def _news(stack: StackDiff) -> "Text":
    """Return which packages a stack that came or went has or had."""
    gone, come = stack.packages.removed, stack.packages.added
    kind, names, words = (Kind.REMOVED, gone, "dropped") if gone else (Kind.ADDED, come, "new")
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    told = f"stack {shown(stack.stack)} {words}: {', '.join(map(shown, names[:_NAMED]))}{more}"
    return _text(f"  {SYMBOLS[kind]} {told}", _STYLES[kind])


def _stack_table(tag: TagDiff, kinds: list[Kind], width: int) -> "Table":
    from rich.table import Table

    names = max((len(_stack_name(stack)) for stack in tag.stacks), default=0)
    is_wide = names + _SPECS_WIDTH + sum(len(kind) + 2 for kind in kinds) <= width
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("stack", overflow="fold", min_width=min(names, width // 2))
    table.add_column("specs", justify="right", no_wrap=True)
    for kind in kinds:
        # On a narrow terminal the signs of the sections below stand for the words.
        table.add_column(kind.value if is_wide else SYMBOLS[kind], justify="right", no_wrap=True)
    for stack in tag.stacks:
        table.add_row(_stack_name(stack), _both(stack), *[_count(stack, kind) for kind in kinds])
    return table


_NAMED = 5
"""How many packages of a stack that came or went are named."""

_SPECS_WIDTH = 17
"""What the number of specs before and after may take, in six digits each."""


def _stack_name(stack: StackDiff) -> "Text":
    suffix = {"added": " (new)", "removed": " (dropped)"}.get(stack.status, "")
    return _text(shown(stack.stack) + suffix)


def _both(stack: StackDiff) -> "Text":
    return _text(f"{stack.specs.old:,} → {stack.specs.new:,}")


def _count(stack: StackDiff, kind: Kind) -> "Text":
    count = stack.summary.count(kind)
    return _text(f"{count:,}", _STYLES[kind]) if count else _text("·", "dim")


def _print_section(console: "Console", section: Section, *, merged: bool) -> None:
    style = _STYLES[section.kind]
    if section.kind is Kind.REBUILT:
        words = (
            f"{counted(section.specs, 'spec')} of {counted(section.packages, 'package')} rebuilt"
        )
        console.print(_text(f"  {section.symbol} {words}", style))
        return
    for line in section.lines:
        text = _text("")
        text.append(f"  {section.symbol} {shown(line.package)}", style)
        text.append(f" {_versions(line)}")
        text.append(_rest(line, merged=merged), "dim")
        console.print(text, soft_wrap=True)


def _versions(line: Line) -> str:
    ends = dict.fromkeys(end for end in (line.old, line.new) if end is not None)
    return " → ".join(map(shown, ends))


def _rest(line: Line, *, merged: bool) -> str:
    words = [_difference(field) for field in line.fields]
    if line.is_whole:
        words.append("new package" if line.kind is Kind.ADDED else "package dropped")
    if line.kept:
        words.append(f"beside {' and '.join(map(shown, line.kept))}")
    if line.specs > 1:
        words.append(counted(line.specs, "spec"))
    if line.in_all_stacks:
        words.append(
            "in both stacks" if len(line.stacks) == 2 else f"in all {len(line.stacks)} stacks"
        )
    elif merged:
        more = f" and {line.more_stacks} more" if line.more_stacks else ""
        words.append(f"in {', '.join(map(shown, line.named_stacks))}{more}")
    return "".join(f", {word}" for word in words)


def _difference(field: Field) -> str:
    old, new = (
        " ".join(map(shown, [value] if isinstance(value, str) else value)) or "nothing"
        for value in (field.old, field.new)
    )
    return f"{old} → {new}"


def _revision(revision: Revision) -> str:
    facts = [fact[:10] for fact in (revision.commit, revision.date) if fact]
    return shown(revision.source) + (f" ({', '.join(facts)})" if facts else "")


def _filters(filters: Filters) -> str:
    names = [
        f"{name} {' or '.join(map(visible, getattr(filters, name)))}"
        for name in filters.__struct_fields__
        if getattr(filters, name)
    ]
    return f"; only {' and '.join(names)}" if names else ""


def _text(words: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(words, style=style)
