"""The command line: its commands, what it says of an error, exit statuses."""

import gc
import os
import sys
from collections.abc import Sequence

import click

from snapdiff import __version__
from snapdiff.cli import options
from snapdiff.cli.diff_command import diff
from snapdiff.errors import SnapdiffError
from snapdiff.output.streams import say, write_stdout
from snapdiff.report_formats import CHANGELOG, REPORT
from snapdiff.sources.nearest import nearest_name

DONE, FAILED = 0, 2

DEFAULT_COMMAND = "diff"

_LATE = {
    "changelog": "changelog_command",
    "git-driver": "git_driver_command",
    "missing": "answer_commands",
    "post": "post_command",
    "snapshot": "snapshot_command",
    "why": "answer_commands",
}
"""The commands that are imported when they are asked for, each with its module."""

_OTHER_WORDS = {"help": "--help", "version": "--version", "log": "changelog", "compare": "diff"}
"""What other tools have as commands. Here it is a revision or a folder first, and then advice."""


class _Commands(click.Group):
    """A group with a default command: `snapdiff OLD NEW` is `snapdiff diff OLD NEW`."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Put the command before its options; where none is named, the default one."""
        if arguments[:1] not in (["--version"], ["-V"], ["--spack-extension"]):
            position = _first_word(arguments)
            name = arguments[position] if position < len(arguments) else ""
            if name in self.list_commands(context):
                arguments = [name, *arguments[:position], *arguments[position + 1 :]]
            else:
                arguments = [DEFAULT_COMMAND, *arguments]
        return super().parse_args(context, arguments)

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, of those that are imported late, too."""
        return [*super().list_commands(context), *_LATE]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command, imported when it is asked for."""
        if name not in _LATE:
            return super().get_command(context, name)
        from importlib import import_module

        module = import_module(f"snapdiff.cli.{_LATE[name]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command


def _first_word(arguments: Sequence[str]) -> int:
    """Return where the first argument is that is neither an option nor the value of one."""
    takes_value = {
        name
        for option in diff.params
        if isinstance(option, click.Option) and not option.is_flag
        for name in option.opts
    }
    position = 0
    while position < len(arguments) and len(word := arguments[position]) > 1 and word[0] == "-":
        if word == "--":
            break
        # Of short options in one word the first that takes a value takes the rest, or what follows.
        names = [word] if word[1] == "-" else [f"-{letter}" for letter in word[1:]]
        first = next((name for name in names if name in takes_value), None)
        position += 2 if first is not None and first == names[-1] else 1
    return position


def _print_extension(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        from snapdiff.spack_extension import extension_folders

        click.echo("\n".join(extension_folders()))
        context.exit()


@click.group(cls=_Commands, context_settings=options.CONTEXT)
@click.version_option(
    __version__, "-V", "--version", prog_name="snapdiff", message="%(prog)s %(version)s"
)
@click.option(
    "--spack-extension",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_extension,
    help="Print the folder for Spack's config:extensions: then there is spack snapdiff.",
)
def cli() -> None:
    """Say what changed between two snapshots of a package catalog."""


cli.add_command(diff)


@cli.command()
@click.option(
    "--of",
    "document",
    type=click.Choice(["report", "missing", "why", "config"]),
    default="report",
    help="The JSON report (default), an answer of snapdiff missing or why, or the settings.",
)
def schema(document: str) -> int:
    """Print the JSON Schema of the JSON report, of an answer, or of the configuration file."""
    import json

    from snapdiff.reports.json_report import json_schema
    from snapdiff.settings import settings_schema

    found = settings_schema() if document == "config" else json_schema(document)
    write_stdout([json.dumps(found, indent=2) + "\n"])
    return DONE


def error_lines(error: BaseException | None) -> list[str]:
    """Return what is said of an error, a line a fault: where it is, what is wrong, the way out."""
    if isinstance(error, SnapdiffError):
        return error.lines()
    if isinstance(error, click.NoSuchOption):  # click's own words differ by its version
        near = error.possibilities or ()
        name = error.option_name.lstrip("-")
        near = [f"-f {name}"] if name in {**REPORT, **CHANGELOG} else near
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        return [f"no option is called {error.option_name}{meant}"]
    if isinstance(error, click.BadParameter) and error.param:
        is_option = isinstance(error.param, click.Option)
        place = error.param.opts[0] if is_option else error.param.human_readable_name
        reason = "is missing" if isinstance(error, click.MissingParameter) else error.message
        reason = reason.replace("a valid integer range.", "a whole number")
        return [f"{place}: {reason}"]
    if isinstance(error, click.ClickException):
        return [error.format_message()]
    if isinstance(error, OSError):  # without a file: of help and version, which click writes
        place = os.fsdecode(error.filename) if error.filename else "standard output"
        return [f"{place}: {'' if error.filename else 'cannot be written: '}{error.strerror}"]
    return [f"internal fault, please report it: {type(error).__name__}: {error}"]


def _way_out(error: Exception, arguments: Sequence[str]) -> str:
    """Return how a command is written, or which one was meant by `chnagelog` or `log`."""
    # Of arguments there is one too few, or one too many.
    if isinstance(error, click.MissingParameter) or type(error) is click.UsageError:
        assert error.ctx
        usage = " ".join(error.ctx.command.collect_usage_pieces(error.ctx))
        example = ", a RANGE such as v1..HEAD" if "RANGE" in usage else ""
        return f"write {error.ctx.command_path} {usage}{example}"
    names = [DEFAULT_COMMAND, *_LATE, "schema"]
    word = "".join(arguments[_first_word(arguments) :][:1])
    if word in _OTHER_WORDS:
        return f"did you mean snapdiff {_OTHER_WORDS[word]}?"
    found = "" if word in names else nearest_name(word, names, 0.75)
    if not found and isinstance(error, click.NoSuchOption) and error.ctx:
        return f"{error.ctx.command_path} --help lists those that there are"
    return f"did you mean the command {found}?" if found else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; every error is a line on standard error."""
    asked: dict[str, bool] = {}  # the option -v leaves its value in it
    gc.disable()  # nothing here forms cycles, and walking a million specs over and over costs
    try:
        status = cli.main(args=arguments, prog_name="snapdiff", standalone_mode=False, obj=asked)
    except (SnapdiffError, click.ClickException, OSError) as error:
        *lines, last = error_lines(error)
        if way_out := _way_out(error, sys.argv[1:] if arguments is None else arguments):
            last += f"{' ' if last.endswith(('.', '?')) else '; '}{way_out}"
        for line in [*lines, last]:
            say(f"error: {'an empty value' if line.startswith(': ') else ''}{line}")
        return FAILED
    except SystemExit:  # click's answer to a reader of its help that has gone away
        return DONE
    except Exception as error:
        # Click takes a file that ends early for the end of an answer.
        fault = error.__cause__ if isinstance(error, click.Abort) else error
        say(f"error: {error_lines(fault)[0]}")
        if asked.get("verbose"):
            raise
        return FAILED
    return status if isinstance(status, int) else DONE
