"""What may have happened to a package, and how it is shown; what a step of its version means."""

import re
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import Literal, NamedTuple, Self

from snapdiff.result.causes import Event, StackCause
from snapdiff.result.changes import Change, StackDiff
from snapdiff.result.packages import Kind
from snapdiff.spack import parse_version


class KindLook(NamedTuple):
    """The sign of a kind of change, its colour on a terminal (ECMA-48, SGR), and its name."""

    sign: str
    color: str
    name: str


LOOKS = {
    Kind.REMOVED: KindLook("−", "31", "gone"),
    Kind.ADDED: KindLook("+", "32", "new"),
    Kind.DOWNGRADED: KindLook("↓", "1;35", "downgraded"),
    Kind.UPGRADED: KindLook("↑", "36", "upgraded"),
    Kind.RECONFIGURED: KindLook("≠", "33", "reconfigured"),
    Kind.REBUILT: KindLook("=", "2", "rebuilt"),
}

SIGNS: dict[str, str] = {kind.value: look.sign for kind, look in LOOKS.items()}
"""The sign of each kind by its name."""

WORST_FIRST = tuple(LOOKS)
"""The kinds of change in the order in which people read them: lost, new, then the others."""


def rebuilt_word(noun: str) -> str:
    """Return what is said of a spec of which only the hash changed: a lock builds nothing."""
    return "with another hash" if noun == "environment" else LOOKS[Kind.REBUILT].name


def name_of_kind(kind: Kind, noun: str) -> str:
    """Return what packages of a kind are called, in stacks that a noun is for."""
    return rebuilt_word(noun) if kind is Kind.REBUILT else LOOKS[kind].name


Step = Literal["", "major", "scheme"]
"""What a step of versions may be more than up or down: to a higher major one, to another scheme."""

Versions = tuple[str, ...]


class Status(IntEnum):
    """The classes of packages by what happened to them, in the order in which people read of them.

    A package is in one class: that of the worst that happened to it in any stack. Each has the sign
    and colour of a `kind` of change, in whose column tables count it.
    """

    kind: Kind

    GONE = 0, Kind.REMOVED
    LOST = 1, Kind.REMOVED
    """It lost versions or builds, while its highest version is as before."""
    NEW = 2, Kind.ADDED
    DOWNGRADED = 3, Kind.DOWNGRADED
    MAJOR = 4, Kind.UPGRADED
    """It was upgraded to another major version."""
    UPGRADED = 5, Kind.UPGRADED
    MORE = 6, Kind.ADDED
    """It has more versions or builds than before, and lost none."""
    DEPENDENCY_NOW = 7, Kind.RECONFIGURED
    NO_DEPENDENCY = 8, Kind.RECONFIGURED
    """It was a dependency, and is a field of what it compiles again."""
    RECONFIGURED = 9, Kind.RECONFIGURED
    ROOTS = 10, Kind.RECONFIGURED
    """Somebody asks for it no longer, or does now; nothing else happened that anybody misses."""
    SCHEME = 11, Kind.RECONFIGURED
    """Its versions before and now cannot be compared: a date, or a branch, on one side."""
    SHARED = 12, Kind.RECONFIGURED
    """It was reconfigured in nothing but what all around it was, too: that is said once."""
    DUPLICATES = 13, Kind.RECONFIGURED
    """It has fewer builds, or more, that are equal to others."""
    REBUILT = 14, Kind.REBUILT
    WITH_STACK = 15, Kind.ADDED
    """It came or went with whole stacks alone, which a sentence counts as stacks."""

    def __new__(cls, number: int, kind: Kind) -> Self:
        """Return the class of a number, worst first."""
        status = int.__new__(cls, number)
        status._value_, status.kind = number, kind
        return status

    @property
    def word(self) -> str:
        """Its name, as templates ask for it."""
        return self.name.lower()

    @property
    def is_news(self) -> bool:
        """Whether nobody should miss what happened."""
        return self <= Status.DOWNGRADED

    @property
    def is_quiet(self) -> bool:
        """Whether it is not said of a package of which there is anything else to say."""
        return Status.SHARED <= self <= Status.REBUILT

    @property
    def severity(self) -> float:
        """A number that is the lower the worse it is: the worst of its stacks counts.

        What is new in one stack may be downgraded in others, or have lost a build there.
        """
        return _SEVERITY.get(self, self)


_SEVERITY = {
    Status.DOWNGRADED: Status.GONE + 0.5,
    Status.NEW: Status.LOST + 0.5,
    Status.SCHEME: Status.MORE + 0.5,
}
"""Where that is in another order than people read of them."""

SHARED_BY_PACKAGES = 4
"""How many packages make a change of a field one line: of fewer, each is worth its own."""


def is_told(change: Change, shared: set[Event]) -> bool:
    """Return whether what is said once of all of a stack says what happened to a spec."""
    if change.kind is Kind.RECONFIGURED:
        return shared.issuperset(field.event() for field in change.fields)
    # A root without a partner has its version still: another root was paired with a dependency.
    return change.kind in (Kind.REBUILT, Kind.ADDED, Kind.REMOVED)


def shared_fields(stack: StackDiff) -> tuple[StackCause, ...]:
    """Return the changes of a field that many packages of a stack share: one line says it best."""
    return tuple(
        cause
        for cause in stack.causes
        if cause.package is None
        and cause.what not in ("rehash", "compilers")
        and cause.packages >= SHARED_BY_PACKAGES
        and stack.summary.reconfigured
    )


_YEARS = range(1980, 2100)
_SHORT_YEARS = range(20, 40)
"""The years of calendar versions such as 23.8: a first number below 20 is more often a major."""

_WRITTEN_YEARS = range(10, 40)
"""The same where a month has two digits for sure: 18.08.9 and 1812."""

_MONTHS = range(1, 13)

_NUMBERS = re.compile("[0-9]+")
_BEGINS_WITH_NUMBER = re.compile("[rv]?[0-9]")


def _numbers(version: str) -> list[str]:
    """Return the numbers of a version that begins with one, as 23.08 or v2023.1 do."""
    return _NUMBERS.findall(version) if _BEGINS_WITH_NUMBER.match(version) else []


def is_date(version: str) -> bool:
    """Return whether a version is written as a date: `2023.11.05`, `r20230802`, `2020-05-14`."""
    first = (_numbers(version) or [""])[0]
    return len(first) in (4, 6, 8) and int(first[:4]) in _YEARS


def is_calendar(version: str) -> bool:
    """Return whether it begins with a year: `2023.1`, `23.08`, `22.9.29`, `2212`, `230802`."""
    if is_date(version):
        return True
    year, month, *others = [*_numbers(version), "", ""]
    if len(year) in (4, 6):
        year, month, day = year[:2], year[2:4], year[4:]
        return int(year) in _WRITTEN_YEARS and int(month) in _MONTHS and 1 <= int(day or 1) <= 31
    if len(year) != 2 or int(month or 0) not in _MONTHS:
        return False
    if month.startswith("0"):
        return int(year) in _WRITTEN_YEARS
    is_series = month == "1" and any(others)  # 20.1.2 of LLVM is of no month, 24.1 of nvhpc is
    return int(year) in _SHORT_YEARS and not is_series


@lru_cache(maxsize=4096)  # most stacks of a package make the same step
def step_of(gone: Versions, came: Versions, kept: Versions = ()) -> Step:
    """Return what the step from the highest version before to the highest one after means.

    `20180129` to `0.11.0` is another scheme, and so is `develop` to `0.2.1`: neither is a loss. A
    year is no major version.
    """
    old, new = highest(gone), highest(came)
    sides = [(parse_version(it).is_branch, is_date(it)) for it in (old, new) if it]
    if len({*sides}) == 2:
        return "scheme"
    old, new = highest((old, *kept)), highest((new, *kept))
    if not (old and new) or is_calendar(old) or is_calendar(new) or parse_version(new).is_branch:
        return ""
    return "major" if parse_version(old).major < parse_version(new).major else ""


def highest(versions: Iterable[str]) -> str:
    """Return the highest of some versions, nothing where there is none."""
    return max(filter(None, versions), key=parse_version, default="")
