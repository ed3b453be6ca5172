"""`snapdiff diff`: its options and its help; what they ask for is done in `diff_run.py`.

Help, and a shell that completes a word, import no more than this.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdiff.cli import options
from snapdiff.report_formats import REPORT, that_heed

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from snapdiff.result.packages import Kind

CODE_QUALITY_FILE = "gl-code-quality-report.json"
"""The report's name where none is given: what GitLab's own documentation calls it."""


def _stack_pairs(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    pairs: dict[str, str] = {}
    for value in values:
        old, _, new = value.partition("=")
        if not old or not new:
            raise click.BadParameter(f"{value!r} names no two stacks; write OLD=NEW")
        if old in pairs:
            raise click.BadParameter(f"{old} is named twice; a stack has one new name")
        pairs[old] = new
    return tuple(pairs.items())


def _report_and_file(value: str) -> tuple[str, Path | None]:
    format_name, _, file = value.partition("=")
    if not format_name or not file:
        raise click.BadParameter(f"{value!r} names no format and file; write FORMAT=FILE")
    return format_name, None if file == "-" else Path(file)


def _annotations(value: str) -> str | Path:
    host, equals, name = value.partition("=")
    if value == "github":
        return value
    if host == "gitlab" and bool(equals) == bool(name) and name != "-":
        return Path(name or CODE_QUALITY_FILE)
    raise click.BadParameter(f"{value!r} is not known; write github, gitlab or gitlab=FILE")


def _kinds_of_change(
    _context: click.Context, _parameter: click.Parameter, values: Sequence[str]
) -> "tuple[Kind, ...]":
    from snapdiff.filters import no_kind
    from snapdiff.result.packages import Kind

    if values == ("none",):  # turns back what a configuration file says
        return ()
    words = [word.strip() for value in values for word in value.split(",")]
    for word in words:
        if word not in options.KINDS:
            raise click.BadParameter(f"{word!r} is {no_kind(word)}")
    return tuple(map(Kind, words))


def _completed(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list["CompletionItem"]:
    from click.shell_completion import CompletionItem

    above = context.find_root()
    assert isinstance(above.command, click.Group)
    names = [name for name in above.command.list_commands(above) if name.startswith(incomplete)]
    # Files first: for bash, click forgets what is before them.
    return [CompletionItem(incomplete, "file"), *map(CompletionItem, names if incomplete else ())]


@click.command(
    cls=options.TakesPaths,
    # Said here too, as what CI systems start makes a context of this command alone, and click keeps
    # the help option of the first one.
    context_settings=options.CONTEXT,
    epilog="""\b
Commands:
  diff       compare two snapshots: this help, and what no command means
  changelog  what changed over many snapshots, newest first
  why        why the specs of one package changed
  missing    what of environments a build cache or mirror lacks
  git-driver documents as reports in git diff
  post       one comment on a pull request, kept up to date
  snapshot   keep a mirror as it is today, to compare with later
  schema     print the JSON Schema of the report, or of .snapdiff.toml
  snapdiff COMMAND --help says more; snapdiff --version prints the version

\b
Examples:
  snapdiff HEAD~1 HEAD                           what the last commit changed
  snapdiff v0.22.0..v0.23.0 -o changes.md        two releases, to a file
  snapdiff snapshots/2025-06-29 snapshots/2025-07-06 -s e4s -k removed
  snapdiff HEAD:_cache/v0.21.2 HEAD:_cache/v0.22.0 -f json
  snapdiff spack.lock                            the file at HEAD, and now
  snapdiff HEAD~1 HEAD -- environments/hep       in a folder alone
  snapdiff -f comment -o comment.md HEAD~1 HEAD  for a bot to post
  snapdiff --fail-on removed,downgraded HEAD~1   a gate for the working tree
  snapdiff --config .snapdiff.toml HEAD~1        settings not committed yet
  snapdiff --title 'v23.11: what is new' v23.08..v23.11 -o notes.md

\b
Exit status:
  0  done, whether or not something differs
  1  with --exit-code: anything differs; with --fail-on: that happened
  2  an error
""",
)
@click.argument(
    "revisions", nargs=-1, metavar="[OLD] [NEW] [-- PATH...]", shell_complete=_completed
)
@options.repository(help="Look OLD and NEW up in DIR.")
@options.environment
@options.format_of(REPORT, markdown="default", text="default on a terminal")
@options.output(help="Write to FILE, whole or not at all.")
@click.option(
    "--also",
    multiple=True,
    type=_report_and_file,
    metavar="FORMAT=FILE",
    help="Write the report to FILE in FORMAT, too; repeatable.",
)
@options.narrowing
@options.globs(
    "--because",
    help="Only what was rebuilt or is gone because of these packages, directly or through others.",
)
@options.group_by(help="One list for each stack, or one for all (default).")
@click.option(
    "--title", metavar="TEXT", help="The report's heading, such as 'v23.11: what is new'."
)
@options.flag("--stat", help=f"One sentence and the table of counts alone ({that_heed('stat')}).")
@options.detail
@click.option(
    "--report-url", metavar="URL", help=f"Link to the full report ({that_heed('report_url')})."
)
@click.option(
    "--map-stack",
    "stack_names",
    multiple=True,
    callback=_stack_pairs,
    metavar="OLD=NEW",
    help="Compare stack OLD with stack NEW, its new name; repeatable.",
)
@options.package_url
@click.option("--marker", metavar="NAME", help="The name in a comment's invisible first line.")
@options.number(
    "--max-length",
    help="Shorten Markdown to N characters at most, and say so (default: 60000; none for markdown "
    "with --detail).",
)
@options.flag("--quiet-if-empty", help="Print nothing at all where nothing changed.")
@options.template(help="Report through a Jinja2 template (see docs/templates.md).")
@options.template_folder
@options.color
@options.no_pager
@options.flag("--exit-code", help="Exit with 1 where anything differs.")
@click.option(
    "--fail-on",
    multiple=True,
    callback=_kinds_of_change,
    metavar="KIND[,KIND]",
    shell_complete=options.one_of([*options.KINDS, "none"]),
    help="Exit with 1 where this happened to a package: removed, downgraded, ...; or none.",
)
@click.option(
    "--annotations",
    type=_annotations,
    metavar="github|gitlab[=FILE]",
    shell_complete=options.one_of(["github", "gitlab"]),
    help="Annotate the files of what --fail-on found, for GitHub or GitLab.",
)
@options.configuration
@options.pages
@options.verbose(help="Say what is compared; trace internal errors.")
def diff(revisions: tuple[str, ...], **values: Any) -> int:
    """Say what changed from OLD to NEW, two snapshots of a package catalog, per tag and stack.

    OLD and NEW are each a directory, a file, a git revision, REV:PATH for a folder in one, or the
    URL of a mirror; OLD..NEW stands for both, OLD...NEW for what NEW changed since it left OLD.
    OLD alone is compared with the working tree, and REV:PATH with that folder of it; without
    either, HEAD is. A file or folder alone is compared with itself at HEAD. Each PATH after --
    narrows both sides.
    """
    from snapdiff.cli.diff_run import run_diff
    from snapdiff.cli.given_options import GivenOptions

    given = GivenOptions.of(values)
    outcome = run_diff(revisions, given)
    if given.annotations and not outcome.has_gate:
        given.warn("--annotations has no effect without --fail-on; add it, or leave this out")
    return int(bool(outcome.offenders) or (given.exit_code and not outcome.diff.is_empty()))
