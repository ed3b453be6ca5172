"""The values of the options of `snapdiff diff`, made of the words on the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from snapdiff.cli.marked_documents import AnnotationTarget
    from snapdiff.result import Kind


def stack_pairs(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return pairs of an old and a new stack; raises BadParameter for a value that is none."""
    pairs: list[tuple[str, str]] = []
    for value in values:
        old, equals, new = value.partition("=")
        if not old or not equals or not new:
            raise click.BadParameter(f"{value!r} names no two stacks; write OLD=NEW")
        if old in dict(pairs):
            raise click.BadParameter(f"{old} is named twice; a stack has one new name")
        pairs.append((old, new))
    return tuple(pairs)


def more_reports(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, Path | None], ...]:
    """Return formats with their files, None for standard output.

    Raises BadParameter for a value that is neither.
    """
    reports: list[tuple[str, Path | None]] = []
    for value in values:
        format_name, _, file = value.partition("=")
        if not format_name or not file:
            raise click.BadParameter(f"{value!r} names no format and file; write FORMAT=FILE")
        reports.append((format_name, None if file == "-" else Path(file)))
    return tuple(reports)


def annotations(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> "AnnotationTarget | None":
    """Return where annotations go, or None where none are asked for; raises BadParameter."""
    if value is None:
        return None
    from snapdiff.cli.marked_documents import annotation_target

    return annotation_target(value)


def kinds_of_change(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> "tuple[Kind, ...]":
    """Return kinds of change; raises BadParameter for a word that is none."""
    from snapdiff.result import Kind

    if values == ("none",):  # turns back what a configuration file says
        return ()
    kinds = []
    for word in (word.strip() for value in values for word in value.split(",")):
        if word not in list(Kind):
            known = ", ".join(Kind)
            raise click.BadParameter(f"{word!r} is no kind of change; there are {known}")
        kinds.append(Kind(word))
    return tuple(kinds)
