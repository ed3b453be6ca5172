"""`snapdiff why`: a package and two revisions in, why its specs changed out."""

from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.catalog.loading import open_catalogs
from snapdiff.cli.console import say, say_written
from snapdiff.cli.given_options import CommonOptions
from snapdiff.cli.progress import ProgressBar
from snapdiff.cli.settings_in_force import settings_in_force
from snapdiff.cli.shared_options import (
    TakesPaths,
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
from snapdiff.reports.answers import answer_format, render_answer
from snapdiff.reports.markdown_text import counted
from snapdiff.reports.options import PACKAGE_URL, ReportOptions
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
@click.option(
    "-f", "--format", "format_name", metavar="FORMAT", help="text (default), markdown or json."
)
@output
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
    given = CommonOptions(package=(), kind=(), explicit=False, **values)
    asked = parse_question(package)
    destination = given.destination(given.target())
    destination.check()
    chosen = answer_format(given.format_name, destination.file)
    with ProgressBar("documents", wanted=not given.quiet) as progress:
        where = given.compared(revisions)
        old, new = open_catalogs(
            where.revisions, where.directory, given.limits, progress.downloaded, where.paths
        )
        if given.verbose:
            say(f"comparing {old.source.name} with {new.source.name}")
        settings = settings_in_force(given, old.source, new.source, takes={"tag", "stack"})
        given = settings.applied_to(given)
        with settings.named_in_errors():
            found = explain_package(
                old,
                new,
                asked,
                filters=given.filters(),
                allow_empty=given.allow_empty,
                skip_bad_pages=given.skip_bad_pages,
                warn=lambda message: None if given.quiet else say(f"warning: {message}"),
                progress=progress,
            )
    for page in () if given.quiet else found.skipped:
        say(f"warning: {page.path} ({page.side}): left out on both sides: {page.error}")
    answer = render_answer(
        replace(found, configuration=settings.place or UNSET),
        chosen,
        ReportOptions(
            package_url=PACKAGE_URL if given.package_url is None else given.package_url,
            templates=given.templates(),
        ),
    )
    destination.write(answer)
    if given.names_written_files():
        specs = sum(len(stack.specs) for tag in found.tags for stack in tag.stacks)
        say_written([destination.file], counted(specs, "changed spec"))
    return 0
