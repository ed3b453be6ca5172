"""`snapdiff why`: a package and two revisions in, why its specs changed out."""

from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.cli.console import ProgressBar
from snapdiff.cli.given_options import CommonOptions
from snapdiff.cli.settings_in_force import open_sides
from snapdiff.cli.shared_options import (
    TakesPaths,
    answer_format,
    configuration,
    environment,
    no_pager,
    output,
    package_url,
    pages,
    places,
    repository,
    template_folder,
    verbose,
)
from snapdiff.reports import ANSWER, chosen_format
from snapdiff.reports.answers import render_answer
from snapdiff.reports.markdown_text import counted
from snapdiff.why_package import explain_package, parse_question


@click.command(
    cls=TakesPaths,
    epilog="""\b
Examples:
  snapdiff why hdf5 HEAD~1 HEAD                  all specs of hdf5 that changed
  snapdiff why hdf5@1.14.3 old.lock new.lock     those of one version
  snapdiff why hdf5/abc1234 HEAD~1 HEAD          one spec, by the start of its hash
  snapdiff why openmpi A..B -s e4s -f markdown   in one stack, to post

\b
What it draws:
  = hdf5 1.14.3 rebuilt: zlib replaced by zlib-ng (+2 more)
    abc1234 → def5678
    ├── zlib replaced by zlib-ng
    └── openmpi 5.0.0rc16 → 5.0.0
        └── numactl
            └── autoconf 2.69 → 2.71 (build only)
""",
)
@click.argument("package", metavar="PACKAGE[@VERSION][/HASH]")
@click.argument("revisions", nargs=-1, metavar="[OLD] [NEW] [-- PATH...]")
@repository
@environment
@answer_format
@output("Write to FILE, whole or not at all.")
@places
@package_url
@template_folder
@no_pager
@configuration
@pages
@verbose()
def why(package: str, revisions: tuple[str, ...], **values: Any) -> int:
    """Say why the specs of PACKAGE changed from OLD to NEW: everything that changed below them.

    OLD and NEW are what `snapdiff diff` takes: directories, files, git revisions or mirrors, with
    documents that have dependencies.
    """
    given = CommonOptions(**values)
    asked = parse_question(package)
    destination = given.destination(given.output)
    chosen = chosen_format(ANSWER, given.format_name, destination.file, "text")
    with ProgressBar("documents", wanted=not given.quiet) as progress:
        old, new, settings, given = open_sides(revisions, given, {"tag", "stack"}, progress)
        with settings.named_in_errors():
            found = explain_package(
                old,
                new,
                asked,
                filters=given.filters(),
                allow_empty=given.allow_empty,
                skip_bad_pages=given.skip_bad_pages,
                warn=given.warn,
                progress=progress,
            )
    given.warn_of_skipped(found.skipped)
    given.warn_without_effect(ANSWER, [chosen])
    found = replace(found, configuration=settings.place or UNSET)
    destination.write(render_answer(found, chosen, given.report_options()))
    specs = sum(len(stack.specs) for tag in found.tags for stack in tag.stacks)
    given.say_written([destination.file], lambda: counted(specs, "changed spec"))
    return 0
