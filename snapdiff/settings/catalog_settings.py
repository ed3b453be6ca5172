"""What a configuration file may say: the types that it is read into, and its schema.

An attribute is called as the option of the command line that it stands for, and a key as people
write it (docs/specification.md, section 12). What is not here cannot be said: no file to read or
write, no limit, nothing to leave out.
"""

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from snapdiff.report_formats import REPORT
from snapdiff.reports import MARKER_NAME, By
from snapdiff.result import Kind

Globs = tuple[str, ...]
"""Globs as the filters of the command line take them."""


if TYPE_CHECKING:
    ReportFormat = str
else:
    ReportFormat = Literal[tuple(REPORT)]


class DiffSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is compared and how it is reported; a changelog takes what concerns it."""

    format_name: ReportFormat | UnsetType = field(name="format", default=UNSET)
    group_by: Literal["stack", "package"] | UnsetType = field(name="group-by", default=UNSET)
    tag: Globs | UnsetType = field(name="tags", default=UNSET)
    stack: Globs | UnsetType = field(name="stacks", default=UNSET)
    package: Globs | UnsetType = field(name="packages", default=UNSET)
    kind: Globs | UnsetType = field(name="kinds", default=UNSET)
    map_stack: dict[str, str] | UnsetType = field(name="map-stack", default=UNSET)


class AcceptedChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change that the gate lets pass: of a kind, and of packages, stacks or both.

    `package` and `stack` are globs, several of them with commas between; one that is missing stands
    for all. After the day `until` the change counts again. `reason` is for people.
    """

    kind: Kind
    package: str | UnsetType = UNSET
    stack: str | UnsetType = UNSET
    until: date | UnsetType = UNSET
    reason: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Raise ValueError where a kind is all that is said: the gate would let all of it pass."""
        if self.package is UNSET and self.stack is UNSET:
            raise ValueError("names neither a package nor a stack; write which is accepted")


_OF_SOMETHING = Meta(
    extra_json_schema={"anyOf": [{"required": ["package"]}, {"required": ["stack"]}]}
)


class GateSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kinds of change that nobody wants, and those that are accepted all the same."""

    fail_on: tuple[Kind, ...] | UnsetType = field(name="fail-on", default=UNSET)
    ignore: tuple[Annotated[AcceptedChange, _OF_SOMETHING], ...] | UnsetType = UNSET


class CommentSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a comment on a pull request is found again."""

    marker: Annotated[str, Meta(pattern=f"^{MARKER_NAME}$(?!\\n)")] | UnsetType = UNSET


class ChangelogSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What makes a section of a changelog."""

    by: By | UnsetType = UNSET


class CatalogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a configuration file may say."""

    diff: DiffSection = DiffSection()
    gate: GateSection = GateSection()
    comment: CommentSection = CommentSection()
    changelog: ChangelogSection = ChangelogSection()

    def options(self) -> dict[str, Any]:
        """Return the options that the file says something of, each with its value."""
        said = {name: value for name, _, value in self._said()}
        if "map_stack" in said:
            said["map_stack"] = tuple(said["map_stack"].items())
        return said

    def path_of(self, option: str) -> tuple[str, str]:
        """Return the section and the key that stand for an option that the file speaks of."""
        return next(path for name, path, _ in self._said() if name == option)

    def _said(self) -> Iterator[tuple[str, tuple[str, str], Any]]:
        for section_name in self.__struct_fields__:
            section = getattr(self, section_name)
            for info in msgspec.structs.fields(section):
                value = getattr(section, info.name)
                if value is not UNSET:
                    yield info.name, (section_name, info.encode_name), value


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that a configuration file fits, read as TOML."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "snapdiff configuration",
        **msgspec.json.schema(CatalogSettings),
    }
