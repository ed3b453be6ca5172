"""`snapdiff missing` and `snapdiff why`: a question about catalogs in, an answer out."""

from typing import Any

import click

from snapdiff.answering import explain_package, find_missing, parse_question
from snapdiff.catalog.loading import load_catalog
from snapdiff.cli import options
from snapdiff.cli.given_options import GivenOptions, lines_named, open_sides
from snapdiff.errors import place_in
from snapdiff.output.streams import ProgressBar
from snapdiff.report_formats import ANSWER
from snapdiff.reports.answers import render_answer


@click.command(
    epilog="""\b
Examples:
  snapdiff missing spack.lock ~/mirror                what has to be built
  snapdiff missing hep/ gpu/ https://cache.example/v1 of two environments
  snapdiff missing HEAD:env/spack.lock /opt/spack/opt --exit-code
""",
)
@click.argument("wanted", nargs=-1, required=True, metavar="WANTED...", type=options.PATH)
@click.argument("catalog", metavar="CATALOG", type=options.PATH)
@options.repository(help="Look WANTED and CATALOG up in DIR.")
@options.answer_format
@options.output(help="Write to FILE, whole or not at all.")
@options.detail
@options.flag("--exit-code", help="Exit with 1 where anything is missing.")
@options.package_url
@options.template_folder
@options.no_pager
@options.pages
@options.verbose(help="Say what was written; trace internal errors.")
def missing(wanted: tuple[str, ...], catalog: str, exit_code: bool, **values: Any) -> int:
    """Say what of environments is not in a catalog: by hash, with the nearest build that is.

    WANTED are locks: files, folders or REV:PATH. CATALOG is a build cache, a mirror, an install
    tree or a catalog of pages: a folder, a URL or REV:PATH.
    """
    given = GivenOptions.of(values)
    chosen, looks, destination = given.report(ANSWER)
    with ProgressBar("documents", wanted=not given.quiet) as progress:
        *environments, others = (
            load_catalog(
                name, repository=given.repo, limits=given.limits, progress=progress.downloaded
            )
            for name in (*wanted, catalog)
        )
        found = find_missing(
            environments,
            others,
            allow_empty=given.allow_empty,
            skip_bad_pages=given.skip_bad_pages,
            warn=given.warn,
        )
    for document in found.skipped:
        place = f"{document.path}{place_in(document.source, document.path)}"
        given.warn(f"{place}: left out: {document.error}")
    given.warn_without_effect(ANSWER, [chosen])
    destination.write(render_answer(found, chosen, looks))
    given.say_written([destination.file])
    return int(exit_code and bool(found.missing))


@click.command(
    cls=options.TakesPaths,
    epilog="""\b
Examples:
  snapdiff why hdf5 HEAD~1 HEAD                 all specs of hdf5 that changed
  snapdiff why hdf5@1.14.3 old.lock new.lock    those of one version
  snapdiff why hdf5/abc1234 HEAD~1 HEAD         one spec, by its hash
  snapdiff why openmpi A..B -s e4s -f markdown  in one stack, to post

\b
What it draws:
  = hdf5 1.14.3 with another hash: zlib replaced by zlib-ng (+2 more)
    abc1234 → def5678
    ├── zlib replaced by zlib-ng
    └── openmpi 5.0.0rc16 → 5.0.0
        └── numactl
            └── autoconf 2.69 → 2.71 (build only)
""",
)
@click.argument("package", metavar="PACKAGE[@VERSION][/HASH]")
@click.argument("revisions", nargs=-1, metavar="[OLD] [NEW] [-- PATH...]", type=options.PATH)
@options.repository(help="Look OLD and NEW up in DIR.")
@options.environment
@options.answer_format
@options.output(help="Write to FILE, whole or not at all.")
@options.places
@options.package_url
@options.template_folder
@options.no_pager
@options.configuration
@options.pages
@options.verbose(help="Say what is compared; trace internal errors.")
def why(package: str, revisions: tuple[str, ...], **values: Any) -> int:
    """Say why the specs of PACKAGE changed from OLD to NEW: everything that changed below them.

    OLD and NEW are what `snapdiff diff` takes: directories, files, git revisions or mirrors, with
    documents that have dependencies.
    """
    given = GivenOptions.of(values)
    asked = parse_question(package)
    chosen, looks, destination = given.report(ANSWER)
    with ProgressBar("documents", wanted=not given.quiet) as progress:
        old, new, given = open_sides(revisions, given, {"format_name"}, progress)
        with lines_named(given):
            found = explain_package(old, new, asked, given.comparison(), progress)
    given.warn_of_skipped(found.skipped)
    given.warn_without_effect(ANSWER, [chosen])
    destination.write(render_answer(found, chosen, looks))
    given.say_written([destination.file])
    return 0
