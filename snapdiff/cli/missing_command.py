"""`snapdiff missing`: what of some environments is not in a build cache, a mirror or a tree."""

from typing import Any

import click

from snapdiff.catalog.loading import Catalog, load_catalog
from snapdiff.cli.given_options import CommonOptions
from snapdiff.cli.shared_options import (
    answer_format,
    no_pager,
    output,
    package_url,
    pages,
    repository,
    template_folder,
    verbose,
)
from snapdiff.missing_specs import find_missing
from snapdiff.reports import ANSWER, chosen_format
from snapdiff.reports.answers import render_answer
from snapdiff.reports.markdown_text import counted


@click.command(
    epilog="""\b
Examples:
  snapdiff missing spack.lock ~/mirror                    before a build: what has to be built
  snapdiff missing hep/ gpu/ https://cache.example/v1     of two environments
  snapdiff missing HEAD:env/spack.lock /opt/spack/opt --exit-code
""",
)
@click.argument("wanted", nargs=-1, required=True, metavar="WANTED...")
@click.argument("catalog", metavar="CATALOG")
@repository
@answer_format
@output("Write to FILE, whole or not at all.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 where anything is missing.")
@package_url
@template_folder
@no_pager
@pages
@verbose()
def missing(wanted: tuple[str, ...], catalog: str, exit_code: bool, **values: Any) -> int:
    """Say what of environments is not in a catalog: by hash, with the nearest build that is.

    WANTED are locks: files, folders or REV:PATH. CATALOG is a build cache, a mirror, an install
    tree or a catalog of pages: a folder, a URL or REV:PATH.
    """
    given = CommonOptions(**values)
    destination = given.destination(given.output)
    chosen = chosen_format(ANSWER, given.format_name, destination.file, "text")
    found = find_missing(
        [_catalog(one, given) for one in wanted],
        _catalog(catalog, given),
        allow_empty=given.allow_empty,
        skip_bad_pages=given.skip_bad_pages,
    )
    for document in found.skipped:
        given.warn(f"{document.path} in {document.source}: left out: {document.error}")
    given.warn_without_effect(ANSWER, [chosen])
    destination.write(render_answer(found, chosen, given.report_options()))
    given.say_written([destination.file], lambda: counted(found.specs.missing, "missing spec"))
    return int(exit_code and bool(found.missing))


def _catalog(name: str, given: CommonOptions) -> Catalog:
    return load_catalog(name, repository=given.directory(), limits=given.limits)
