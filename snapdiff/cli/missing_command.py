"""`snapdiff missing`: what of some environments is not in a build cache, a mirror or a tree."""

from typing import Any

import click

from snapdiff.catalog.loading import Catalog, load_catalog
from snapdiff.cli.console import say, say_written
from snapdiff.cli.given_options import CommonOptions
from snapdiff.cli.shared_options import (
    no_pager,
    output,
    package_url,
    pages,
    repository,
    template_folder,
    verbose,
)
from snapdiff.missing_specs import find_missing
from snapdiff.reports.answers import answer_format, render_answer
from snapdiff.reports.markdown_text import counted
from snapdiff.reports.options import PACKAGE_URL, ReportOptions


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
@click.option(
    "-f", "--format", "format_name", metavar="FORMAT", help="text (default), markdown or json."
)
@output
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
    nothing: dict[str, Any] = dict.fromkeys(("tag", "stack", "package", "kind"), ())
    nothing |= {"explicit": False, "config": None, "no_config": True}
    given = CommonOptions(**nothing, **values)
    destination = given.destination(given.target())
    destination.check()
    chosen = answer_format(given.format_name, destination.file)
    found = find_missing(
        [_catalog(one, given) for one in wanted],
        _catalog(catalog, given),
        allow_empty=given.allow_empty,
        skip_bad_pages=given.skip_bad_pages,
        warn=lambda message: None if given.quiet else say(f"warning: {message}"),
    )
    options = ReportOptions(
        package_url=PACKAGE_URL if given.package_url is None else given.package_url,
        templates=given.templates(),
    )
    destination.write(render_answer(found, chosen, options))
    if given.names_written_files():
        say_written([destination.file], counted(found.specs.missing, "missing spec"))
    return 1 if exit_code and found.missing else 0


def _catalog(name: str, given: CommonOptions) -> Catalog:
    return load_catalog(name, repository=given.directory(), limits=given.limits)
