"""The finished diff as sections and lines for people: like changes together, worst news first."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from snapdiff.filters import Scope
from snapdiff.model import Spec
from snapdiff.result import CatalogDiff, Change, Field, Kind, StackDiff, TagDiff

ATTENTION = (
    Kind.REMOVED,
    Kind.DOWNGRADED,
    Kind.ADDED,
    Kind.UPGRADED,
    Kind.RECONFIGURED,
    Kind.REBUILT,
)
"""The kinds of change in the order in which somebody should look at them."""

SYMBOLS = {
    Kind.REMOVED: "−",
    Kind.DOWNGRADED: "↓",
    Kind.ADDED: "+",
    Kind.UPGRADED: "↑",
    Kind.RECONFIGURED: "≠",
    Kind.REBUILT: "=",
}

NAMED_STACKS = 2
"""How many stacks a line names before it says how many more there are."""


LONG_SECTION = 20
"""How many lines a section has before it is better folded."""


def told_kinds(diff: CatalogDiff) -> list[Kind]:
    """Return the kinds of change that the report was not narrowed away from, worst first."""
    scope = Scope(diff.filters)
    return [kind for kind in ATTENTION if kind in scope.kinds]


class Detail(NamedTuple):
    """How much is told: a report that must be short steps down from one to the next."""

    rebuilt: bool = True
    """Whether rebuilt specs are listed, or only counted."""
    fields: bool = True
    """Whether a line says more than name and versions, and links to the package's page."""
    most_lines: int | None = None
    """How many lines a section has at the most; with none there are no sections, only counts."""


class Line(Struct, frozen=True, kw_only=True):
    """Like changes of one package: their number of specs, and the stacks that have them.

    `is_whole` says that the package came or went with them; `kept` lists versions that stay beside
    the new one.
    """

    kind: Kind
    package: str
    old: str | None
    new: str | None
    fields: tuple[Field, ...]
    specs: int
    is_whole: bool
    kept: tuple[str, ...]
    stacks: tuple[str, ...]
    in_all_stacks: bool

    @property
    def named_stacks(self) -> tuple[str, ...]:
        """The stacks to name; all of them where one more would be left."""
        several = len(self.stacks) > NAMED_STACKS + 1
        return self.stacks[:NAMED_STACKS] if several else self.stacks

    @property
    def more_stacks(self) -> int:
        """How many stacks are not named."""
        return len(self.stacks) - len(self.named_stacks)


class Section(Struct, frozen=True, kw_only=True):
    """The changes of one kind: `specs` in number, of which `lines` show as many as `shown`.

    Rebuilt specs and long sections are folded.
    """

    kind: Kind
    symbol: str
    lines: tuple[Line, ...]
    specs: int
    shown: int
    packages: int
    is_folded: bool


class StackOutline(Struct, frozen=True, kw_only=True):
    """The sections of one stack, or, under no name, of all stacks of a tag."""

    name: str | None
    sections: tuple[Section, ...]


class TagOutline(Struct, frozen=True, kw_only=True):
    """One tag: its counts, the stacks that came and went, and those with something to tell."""

    diff: TagDiff
    came: tuple[StackDiff, ...]
    went: tuple[StackDiff, ...]
    stacks: tuple[StackOutline, ...]


def outline(
    diff: CatalogDiff,
    group_by: Literal["stack", "package"] = "stack",
    *,
    fields: bool = True,
) -> list[TagOutline]:
    """Return the tags of a diff, each with what there is to tell of it.

    Without `fields`, a line has name and versions only, and more changes are alike.
    """
    return [_tag_outline(tag, group_by, fields=fields) for tag in diff.tags]


def trimmed(tags: list[TagOutline], detail: Detail) -> list[TagOutline]:
    """Return the same tags with no more lines than `detail` asks for."""
    return [
        replace(tag, stacks=() if detail.most_lines == 0 else _trimmed_stacks(tag, detail))
        for tag in tags
    ]


def _trimmed_stacks(tag: TagOutline, detail: Detail) -> tuple[StackOutline, ...]:
    return tuple(
        replace(stack, sections=tuple(_trimmed(section, detail) for section in stack.sections))
        for stack in tag.stacks
    )


def _trimmed(section: Section, detail: Detail) -> Section:
    listed = section.lines if section.kind is not Kind.REBUILT or detail.rebuilt else ()
    lines = listed[: detail.most_lines]
    folded = section.is_folded and bool(lines)
    return replace(section, lines=lines, shown=sum(line.specs for line in lines), is_folded=folded)


def _tag_outline(tag: TagDiff, group_by: str, *, fields: bool) -> TagOutline:
    both = [stack for stack in tag.stacks if stack.status in ("changed", "unchanged")]
    if group_by == "stack":
        stacks = [
            StackOutline(name=stack.stack, sections=_sections([stack], 1, fields=fields))
            for stack in both
        ]
    else:
        stacks = [StackOutline(name=None, sections=_sections(both, len(both), fields=fields))]
    two_sided = tag.status == "changed"
    return TagOutline(
        diff=tag,
        came=tuple(stack for stack in tag.stacks if two_sided and stack.status == "added"),
        went=tuple(stack for stack in tag.stacks if two_sided and stack.status == "removed"),
        stacks=tuple(stack for stack in stacks if stack.sections),
    )


class _Key(NamedTuple):
    """What the changes on one line have in common."""

    kind: Kind
    package: str
    old: str | None
    new: str | None
    fields: tuple[Field, ...]
    is_whole: bool
    kept: tuple[str, ...]


class _Alike:
    """The changes on one line: their specs, each once, and their stacks."""

    __slots__ = ("specs", "stacks")

    def __init__(self) -> None:
        self.specs: set[tuple[str | None, str | None]] = set()
        self.stacks: dict[str, None] = {}


def _key(change: Change, stack: StackDiff, *, told: bool) -> _Key:
    old, new = change.old, change.new
    names = stack.packages.added if change.kind is Kind.ADDED else stack.packages.removed
    fields: tuple[Field, ...] = ()
    kept: tuple[str, ...] = ()
    if told:
        fields = tuple([field for field in change.fields if field.name != "version"])
        if new and change.kind in (Kind.UPGRADED, Kind.DOWNGRADED, Kind.ADDED):
            versions = stack.kept_versions.get(change.package, ())
            kept = tuple([version for version in versions if version != new.version])
    return _Key(
        change.kind,
        change.package,
        old.version if old else None,
        new.version if new else None,
        fields,
        change.package in names,
        kept,
    )


def _sections(stacks: Iterable[StackDiff], among: int, *, fields: bool) -> tuple[Section, ...]:
    """Return what happened in some stacks, a section a kind, those without a change left out."""
    alike: dict[Kind, dict[_Key, _Alike]] = {kind: {} for kind in ATTENTION}
    for stack in stacks:
        for change in stack.changes:
            known = alike[change.kind].setdefault(_key(change, stack, told=fields), _Alike())
            known.specs.add((_hash(change.old), _hash(change.new)))
            known.stacks[stack.stack] = None
    return tuple(_section(kind, alike[kind], among) for kind in ATTENTION if alike[kind])


def _section(kind: Kind, alike: dict[_Key, _Alike], among: int) -> Section:
    lines = [
        Line(
            kind=kind,
            package=key.package,
            old=key.old,
            new=key.new,
            fields=key.fields,
            specs=len(members.specs),
            is_whole=key.is_whole,
            kept=key.kept,
            stacks=tuple(members.stacks),
            in_all_stacks=among > 1 and len(members.stacks) == among,
        )
        for key, members in alike.items()
    ]
    lines.sort(key=lambda line: line.package)
    specs = sum(line.specs for line in lines)
    return Section(
        kind=kind,
        symbol=SYMBOLS[kind],
        lines=tuple(lines),
        specs=specs,
        shown=specs,
        packages=len({line.package for line in lines}),
        is_folded=len(lines) > (0 if kind is Kind.REBUILT else LONG_SECTION),
    )


def _hash(spec: Spec | None) -> str | None:
    return spec.hash if spec else None
