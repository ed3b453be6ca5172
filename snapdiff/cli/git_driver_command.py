"""`snapdiff git-driver`: git hands over two versions of a document, a report is printed.

What git calls it with is in gitattributes(5) and under GIT_EXTERNAL_DIFF in git(1).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
from msgspec.structs import replace

from snapdiff.catalog.compared_files import DocumentVersions
from snapdiff.catalog.loading import Catalog
from snapdiff.catalog.reading import require_content
from snapdiff.cli import options
from snapdiff.comparison import ComparisonOptions, diff_files
from snapdiff.document_names import MARKDOWN, is_document
from snapdiff.errors import BadPagesError, FormatError, SnapdiffError
from snapdiff.formats.kinds import usual_name
from snapdiff.output.streams import say, write_stdout
from snapdiff.reports import ReportOptions, render_report
from snapdiff.reports.names import short_hash
from snapdiff.result.changes import Filters
from snapdiff.sources.directory import DirectorySource
from snapdiff.sources.source import IS_A_LINK, NOT_A_FILE, Content, Entry, Source, printable_path

_NO_FILE = "/dev/null"
_FILE_MODES = "100"
_LINK_MODE = "120000"
_WAY_OUT = "git diff --no-ext-diff shows the lines"


class _Version(Source):
    """One side as git hands it over: a file to read, and the blob's id, or a dot, or zeros."""

    path = ""
    """What the document is called."""

    def __init__(self, file: str, blob: str, mode: str) -> None:
        self.name = short_hash(blob) if blob.strip("0") else "working tree"
        self.given: Content | None = None
        """What it holds, or why that cannot be read; None where there is no file."""
        if file == _NO_FILE:
            self.name = "no file"
        elif mode.startswith(_FILE_MODES):
            folder, name = os.path.split(file)
            self.given = DirectorySource(file, Path(folder)).content(name)
        else:
            # Git writes where a link leads, or the commit of a submodule, to a file of its own.
            self.given = FormatError(IS_A_LINK if mode == _LINK_MODE else NOT_A_FILE)

    def _list(self) -> list[Entry]:
        return [] if self.given is None else [Entry(self.path, None)]

    def _content(self, entry: Entry) -> bytes:
        return require_content(entry.path, self.given)


@click.command(
    name="git-driver",
    epilog="""\b
Set it up in a repository, for you alone (docs/git.md):
  git config diff.snapdiff.command 'snapdiff git-driver --'
  printf '%s diff=snapdiff\\n' specs.md spack.lock \\
    '**/build_cache/index.json' '**/.spack-db/index.json' \\
    >> "$(git rev-parse --git-path info/attributes)"

\b
Examples:
  git diff                          pages and locks are shown as reports now
  git log -p --ext-diff             in a history, too
  git diff --no-ext-diff            the lines, as ever
  git config --unset diff.snapdiff.command     as it was before
""",
)
@click.argument("arguments", nargs=-1, metavar="")
@options.detail
def git_driver(arguments: tuple[str, ...], *, detail: bool) -> int:
    """Show what changed in one document, as a program that git diff calls.

    Two settings of git's own make git call it: a command, and for which files.
    """
    # A document that cannot be read is named on standard error: with another exit status than 0 git
    # would stop there, and not show the files after it.
    if len(arguments) == 1:  # in the middle of a merge there are no two versions; git's own words
        write_stdout([f"* Unmerged path {printable_path(arguments[0])}\n"])
        return 0
    if len(arguments) not in (7, 9):
        raise SnapdiffError(
            f"git calls this with 1, 7 or 9 arguments, not with {len(arguments)}; "
            "snapdiff git-driver --help says how to set it up"
        )
    try:
        text = _report(*arguments[:8], detail=detail)
    except BadPagesError as error:
        for page in error.pages:
            say(f"error: {page}; {_WAY_OUT}")
    except SnapdiffError as error:
        say(f"error: {error}; {_WAY_OUT}")
    else:
        write_stdout([text, "\n"])
    return 0


def _report(old_path: str, *both: str, detail: bool) -> str:
    """Return the report of one document; raises SnapdiffError where it cannot be read.

    `both` are the three words of each version, and the new path where the file was renamed.
    """
    versions = _Version(*both[:3]), _Version(*both[3:6])
    path = both[6] if len(both) > 6 else old_path
    title = path if path == old_path else f"{old_path} → {path}"
    called = printable_path(path)
    if not is_document(called):
        names = (usual_name(it.given) for it in versions if isinstance(it.given, bytes))
        called = next(filter(None, names), called)
    for version in versions:
        version.path = called
    old, new = map(Catalog, versions)
    # As with -p, a stack is then not called new or gone because one package is.
    filters = Filters(package=("*",)) if called.endswith(MARKDOWN) else Filters()
    compared = ComparisonOptions(filters, warn=lambda message: say(f"warning: {message}"))
    files = DocumentVersions(old, new, printable_path(path))
    found = diff_files(files, (old.revision, new.revision), compared)
    looks = ReportOptions(
        title=printable_path(title),
        detail=detail,
        color=_is_colored(),
        # Git says in COLUMNS how wide the window is where it has started a pager.
        width=shutil.get_terminal_size((0, 0)).columns or None,
    )
    return render_report(replace(found, filters=Filters()), "text", looks)


def _is_colored() -> bool:
    """Return whether git, which knows of its pager, would colour a diff that goes there."""
    if os.environ.get("NO_COLOR"):
        return False
    on_terminal = str(sys.stdout.isatty()).lower()
    # Not by `GitRunner`, which is for the repositories of strangers: this is the user's own.
    command = ["git", "config", "--get-colorbool", "color.diff", on_terminal]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    except OSError:
        return False
    return done.stdout == b"true\n"
