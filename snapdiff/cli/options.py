"""The options that several commands have, each with its help."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from snapdiff.limits import DEFAULT_LIMITS, Limits
from snapdiff.report_formats import ANSWER, Formats, in_words

KINDS = "removed", "downgraded", "added", "upgraded", "reconfigured", "rebuilt"
"""The kinds of change, for help and completion: what knows more of them takes long to import."""

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

_Command = TypeVar("_Command", bound=Callable[..., object])


def _limits(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Limits:
    if value is None:
        return DEFAULT_LIMITS
    found = re.fullmatch("([1-9][0-9]{0,9})([KMG]?)", value.strip().upper(), re.ASCII)
    if not found:
        message = "is no size; write a number of bytes, or 64K, 16M, 1G"
        raise click.BadParameter(f"{value!r} {message}")
    size = int(found[1]) * _UNITS[found[2]]
    return Limits(size, size)


def _url_of_packages(value: str) -> str:
    if value and "{package}" not in value:
        raise click.BadParameter(f"{value} has no {{package}} in it, and would link all to one")
    if value and not value.startswith(("https://", "http://")):
        reason = "is no web address to link to; it begins with https:// or http://"
        raise click.BadParameter(f"{value} {reason}")
    return value


def _file(value: str) -> Path | None:
    if not value:
        raise click.BadParameter("names no file")
    return None if value == "-" else Path(value)


def _traced(context: click.Context, _parameter: click.Parameter, value: bool) -> bool:
    context.ensure_object(dict)["verbose"] = value  # for the command line, which catches faults
    return value


def together(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return what gives a command all of some options, in this order of its help."""

    def give(command: _Command) -> _Command:
        for option in reversed(options):  # as a stack of decorators would
            command = option(command)
        return command

    return give


def one_of(words: Iterable[str]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes the beginning of a word."""
    return lambda _context, _parameter, begun: [it for it in words if it.startswith(begun)]


_HEADINGS = {
    "What is compared": "repo environment stack_names no_renames allow_empty skip_bad_pages limits",
    "What is reported": "stack package tag kind explicit because by first_seen stat detail",
    "How it is written": (
        "format_name output also group_by title package_url report_url marker max_length "
        "quiet_if_empty template templates coloring no_pager"
    ),
    "For a gate": "exit_code fail_on annotations",
}
"""The headings of a command's help, and which options are below each; the others come last."""


class TakesPaths(click.Command):
    """A command whose arguments after `--` are paths that narrow the comparison, as git's are.

    It has so many options that its help has them below headings.
    """

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Set the paths apart before click takes `--` for the end of the options."""
        place = arguments.index("--") if "--" in arguments else len(arguments)
        rest = super().parse_args(context, arguments[:place])
        context.params["path"] = tuple(arguments[place + 1 :])
        return rest

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those about one matter together."""
        options = [it for it in self.get_params(context) if isinstance(it, click.Option)]
        records = {it.name: it.get_help_record(context) for it in options}
        for heading, names in {**_HEADINGS, "Other options": " ".join(map(str, records))}.items():
            found = (records.pop(name) for name in names.split() if name in records)
            if some := [record for record in found if record]:
                with formatter.section(heading):
                    formatter.write_dl(some)


# --- The options ---

PATH = click.Path(readable=False)
"""A path, or anything else that a shell completes as one; what is there is looked at later."""

_TEMPLATE = click.Path(readable=False, path_type=Path)

flag = partial(click.option, is_flag=True)
number = partial(click.option, type=click.IntRange(min=1), metavar="N")
globs = partial(click.option, multiple=True, metavar="GLOB[,GLOB]")

max_size = click.option(
    "--max-size",
    "limits",
    callback=_limits,
    metavar="SIZE",
    help="Take SIZE bytes of a page (default 16M), a lock, an index or a mirror (2G); K, M, G.",
)

_STACK = globs("-s", "--stack", help="Only these stacks, such as e4s; !GLOB leaves some out.")
_TAG = globs("-t", "--tag", help="Only these tags, such as develop.")

_NO_RENAMES = flag(
    "--no-renames", help="Compare stacks by their names alone, and find none that was renamed."
)

narrowing = together(
    _STACK,
    globs("-p", "--package", help="Only these packages."),
    _TAG,
    globs(
        "-k",
        "--kind",
        shell_complete=one_of(KINDS),
        help=f"Only these kinds of change: {', '.join(KINDS)}.",
    ),
    flag(
        "--explicit",
        help="Only what was asked for: roots of environments, explicitly installed packages.",
    ),
    _NO_RENAMES,
)

places = together(_STACK, _TAG, _NO_RENAMES)

pages = together(
    flag("--allow-empty", help="Accept a side that has no page, lock or index."),
    flag("--skip-bad-pages", help="Leave unreadable pages out on both sides."),
    max_size,
    flag("-q", "--quiet", help="No warnings, no progress, no word of what was written."),
)
"""Which pages are taken, and whether anything is said of them."""

configuration = together(
    click.option(
        "--config",
        type=PATH,
        metavar="FILE|REV:PATH",
        help="Take settings from here, not from the catalog's .snapdiff.toml.",
    ),
    flag("--no-config", help="Take no settings from any file."),
)

package_url = click.option(
    "--package-url",
    type=_url_of_packages,
    metavar="URL",
    help="Where a package's name links to, with {package} in it; empty for no links.",
)

repository = partial(
    click.option,
    "-C",
    "--repo",
    default=".",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, readable=False, path_type=Path),
)

environment = click.option(
    "-e",
    "--environment",
    multiple=True,
    metavar="NAME",
    help="The lock of an environment, as spack -e names it, as OLD or NEW; twice for both.",
)

output = partial(
    click.option, "-o", "--output", type=_file, metavar="FILE", shell_complete=PATH.shell_complete
)
"""The file to write; without it, or for `-`, that is standard output."""


def format_of(formats: Formats, **notes: str) -> Callable[[_Command], _Command]:
    """Return the option for the format; its help has the notes behind the formats they are of."""
    return click.option(
        "-f",
        "--format",
        "format_name",
        metavar="FORMAT",
        shell_complete=one_of(formats),
        help=f"{in_words(formats, **notes)}.",
    )


answer_format = format_of(ANSWER, text="default")

group_by = partial(click.option, "--group-by", type=click.Choice(["stack", "package"]))

verbose = partial(flag, "-v", "--verbose", callback=_traced)

detail = flag("--detail", help="Every spec, with hashes and what differs.")

template = partial(click.option, "--template", metavar="FILE", type=_TEMPLATE)

template_folder = click.option(
    "--template-folder",
    "templates",
    metavar="DIR",
    type=_TEMPLATE,
    help="Take built-in templates from DIR where it has them.",
)

color = click.option(
    "--color",
    "coloring",
    type=click.Choice(["auto", "always", "never"]),
    help="Colour the text format; auto (default) does on a terminal, unless NO_COLOR is set.",
)

no_pager = flag("--no-pager", help="Print long reports without a pager.")
