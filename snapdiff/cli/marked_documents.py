"""`--annotations`: the documents of what a gate does not let pass, marked for a CI system."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from snapdiff.cli.console import say_command
from snapdiff.output.whole_file import check_output, write_file
from snapdiff.reports.annotations import Annotation, code_quality, github_commands

if TYPE_CHECKING:
    from snapdiff.catalog.loading import Catalog
    from snapdiff.cli.gate import Offender

CODE_QUALITY_FILE = "gl-code-quality-report.json"
"""The report's name where none is given: what GitLab's own documentation calls it."""


class AnnotationTarget(NamedTuple):
    """Where annotations go: to the file that GitLab reads, or to GitHub's log without a file."""

    code_quality: Path | None


def annotation_target(value: str) -> AnnotationTarget:
    """Return what the option's value means; raises BadParameter where it is no known system.

    A file is checked here, before any work: raises ReportError where it cannot be written.
    """
    host, equals, name = value.partition("=")
    if value == "github":
        return AnnotationTarget(None)
    if host == "gitlab" and bool(equals) == bool(name):
        file = Path(name or CODE_QUALITY_FILE)
        check_output(file)
        return AnnotationTarget(file)
    raise click.BadParameter(f"{value!r} is not known; write github, gitlab or gitlab=FILE")


def mark_documents(
    target: AnnotationTarget, offenders: "Sequence[Offender]", old: "Catalog", new: "Catalog"
) -> None:
    """Hand offenders over with their documents; raises ReportError where that cannot be written.

    GitHub's runner reads commands in both streams. Standard output is the report's.
    """
    annotations = _with_documents(offenders, old, new)
    if target.code_quality:
        write_file(target.code_quality, [code_quality(annotations)])
        return
    for command in github_commands(annotations):
        say_command(command)


def _with_documents(
    offenders: "Sequence[Offender]", old: "Catalog", new: "Catalog"
) -> list[Annotation]:
    if not offenders:
        return []  # then no side has to be listed for it
    from snapdiff.catalog.document_paths import DocumentPaths, document_path

    sides = [DocumentPaths(new), DocumentPaths(old)]
    return [
        Annotation(
            item.kind,
            item.text,
            document_path(sides, item.tag, [*item.packages, *item.stacks]),
        )
        for item in offenders
    ]
