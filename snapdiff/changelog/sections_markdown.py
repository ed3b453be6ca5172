"""Sections as Markdown, as https://keepachangelog.com has them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from snapdiff.changelog.sections import Section
from snapdiff.model import Revision
from snapdiff.reports.options import ReportOptions
from snapdiff.reports.spec_lines import SpecLine, SpecSection, spec_sections
from snapdiff.reports.templates import markdown_environment, render_template
from snapdiff.result import Filters, Kind, StackDiff, TagDiff

_PLAIN = re.compile(r"[0-9]{4}(-W?[0-9]{2}){1,2}|Unreleased")
"""Names that cannot be anything else in Markdown: dates, weeks, and ours."""

_GROUPS = (
    ("Added", (Kind.ADDED,)),
    ("Changed", (Kind.UPGRADED, Kind.DOWNGRADED, Kind.RECONFIGURED, Kind.REBUILT)),
    ("Removed", (Kind.REMOVED,)),
)
_VERBS = {
    Kind.UPGRADED: "Upgraded",
    Kind.DOWNGRADED: "Downgraded",
    Kind.RECONFIGURED: "Reconfigured",
    Kind.REBUILT: "Rebuilt",
}


class ToldLine(NamedTuple):
    """A line of specs, and the word for what happened where its group does not say it."""

    verb: str
    line: SpecLine


class Note(Struct, frozen=True, kw_only=True):
    """A stack that came or went as a whole: `New stack e4s`, with its specs and packages."""

    word: str
    noun: str
    name: str
    specs: int
    packages: int


class Part(Struct, frozen=True, kw_only=True):
    """What a group tells of one tag; rebuilt specs are only counted unless all is told."""

    tag: TagDiff
    notes: tuple[Note, ...]
    lines: tuple[ToldLine, ...]
    rebuilt: SpecSection | None


class Group(Struct, frozen=True, kw_only=True):
    """What was added, changed or removed: whole tags, then what is in each of the others."""

    title: str
    notes: tuple[Note, ...]
    parts: tuple[Part, ...]


class MarkdownChangelog:
    """Renders sections; with `detail`, every change with the fields that differ."""

    def __init__(self, options: ReportOptions, *, detail: bool = False) -> None:
        """Take how the changelog is to look."""
        self._environment = markdown_environment(options.templates)
        self._url = options.package_url if detail else ""
        self._detail = detail

    def introduction(self, filters: Filters, quiet_between: tuple[str, str] | None = None) -> str:
        """Return what a changelog begins with; where there is no section, it says between what."""
        return render_template(
            self._environment, "changelog_head.md.j2", filters=filters, between=quiet_between
        )

    def section(self, section: Section) -> str:
        """Return a section with its marker."""
        diff = section.diff
        date = (diff.new.date or "")[: len("2025-07-06")]
        return render_template(
            self._environment,
            "changelog.md.j2",
            marker=marker(diff.old, diff.new),
            title=section.name,
            is_plain=_PLAIN.fullmatch(section.name) is not None,
            date="" if date == section.name else date,
            tags=[tag for tag in diff.tags if tag.status == "changed"],
            is_divided=len(diff.tags) > 1,
            groups=_groups(diff.tags, detail=self._detail),
            skipped=diff.skipped,
            url=self._url,
        )


def _groups(tags: Sequence[TagDiff], *, detail: bool) -> list[Group]:
    groups = []
    for title, kinds in _GROUPS:
        status = title.lower()
        notes = [_tag_note(tag) for tag in tags if tag.status == status != "changed"]
        parts = [_part(tag, title, kinds, detail=detail) for tag in tags]
        told = tuple(part for part in parts if part.notes or part.lines or part.rebuilt)
        if notes or told:
            groups.append(Group(title=title, notes=tuple(notes), parts=told))
    return groups


def _part(tag: TagDiff, title: str, kinds: Iterable[Kind], *, detail: bool) -> Part:
    notes: tuple[Note, ...] = ()
    if tag.status == "changed" and title != "Changed":
        word, status = ("New", "added") if title == "Added" else ("Removed", "removed")
        notes = tuple(_stack_note(word, stack) for stack in tag.stacks if stack.status == status)
    both = [stack for stack in tag.stacks if stack.status in ("changed", "unchanged")]
    found = spec_sections(both, fields=detail, kept=detail)
    sections = {section.kind: section for section in found}
    listed = [sections[kind] for kind in kinds if kind in sections]
    rebuilt = sections.get(Kind.REBUILT) if Kind.REBUILT in kinds and not detail else None
    return Part(
        tag=tag,
        notes=notes,
        lines=tuple(
            ToldLine(_VERBS.get(section.kind, ""), line)
            for section in listed
            if section is not rebuilt
            for line in section.lines
        ),
        rebuilt=rebuilt,
    )


def _tag_note(tag: TagDiff) -> Note:
    return Note(
        word="New" if tag.new else "Removed",
        noun="tag",
        name=tag.new or tag.old or "",
        specs=tag.specs.new or tag.specs.old,
        packages=tag.packages.new or tag.packages.old,
    )


def _stack_note(word: str, stack: StackDiff) -> Note:
    return Note(
        word=word,
        noun="stack",
        name=stack.stack,
        specs=stack.specs.new or stack.specs.old,
        packages=stack.packages.new or stack.packages.old,
    )


def marker(old: Revision, new: Revision) -> str:
    """Return what names a section's ends in its file: commits, or snapshots."""
    return "..".join(marker_name(side.commit or side.source) for side in (old, new))


def marker_name(name: str) -> str:
    """Return the name of a commit or snapshot as a marker has it: no blank, no `>`, no two dots."""
    quoted = quote(name, safe="", errors="surrogateescape")
    is_ambiguous = ".." in quoted or quoted.startswith(".") or quoted.endswith(".")
    return quoted.replace(".", "%2E") if is_ambiguous else quoted
