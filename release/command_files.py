"""Write the manual page and the completions that a wheel installs under `share/`.

python -m release.command_files

All of it is made from the commands themselves, as click has them. The files are kept in the
repository, so that building a wheel takes no more than its build backend; a test compares them.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from snapdiff import __version__
from snapdiff.cli.commands import DEFAULT_COMMAND, cli

SHARE = Path(__file__).parent / "share"

NAMES = ("snapdiff", "spack-snapdiff")
"""What the program is called: the name in pages and the one that no other project has."""

_COMPLETIONS = {
    "bash": "bash-completion/completions/{}",
    "zsh": "zsh/site-functions/_{}",
    "fish": "fish/vendor_completions.d/{}.fish",
}
"""Where each shell looks for the completion of a program."""

_VARIABLE = "_SNAPDIFF_COMPLETE"
"""By this the program knows that a shell asks, whatever the program is called."""

_ROFF = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
"""What roff would read as a command, or print as a typographer's character."""


def command_files() -> dict[str, str]:
    """Return every file by its path below `share/`."""
    program, alias = NAMES
    files = {
        f"man/man1/{program}.1": "\n".join(_page()) + "\n",
        f"man/man1/{alias}.1": f".so man1/{program}.1\n",
    }
    for shell, path in _COMPLETIONS.items():
        found = get_completion_class(shell)
        assert found is not None
        for name in NAMES:
            completion = found(cli, {}, name, _VARIABLE)
            # Not `source()`: that runs bash, to warn of one that is too old.
            text = completion.source_template % completion.source_vars()
            files[path.format(name)] = text.strip() + "\n"
    return files


def _page() -> Iterator[str]:
    """Yield the lines of the manual page: the default command first, then the others."""
    context = click.Context(cli, info_name=NAMES[0], **cli.context_settings)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    yield f'.TH SNAPDIFF 1 "" "snapdiff {__version__}" "User Commands"'
    yield from (".SH NAME", _escaped(f"{NAMES[0]}, {NAMES[1]}") + r" \- " + _escaped(_SUMMARY))
    yield ".SH SYNOPSIS"
    for name, command in commands.items():
        assert command is not None
        yield from _synopsis(name, command, context)
    default = commands.pop(DEFAULT_COMMAND)
    assert default is not None
    yield from (".SH DESCRIPTION", *_paragraphs(default.help or ""))
    yield from (".SH OPTIONS", *_options(default, context))
    for heading, lines in _examples(default):
        if heading == "Commands":  # a section of its own follows
            continue
        yield from (f".SH {_escaped(heading.upper())}", *lines)
    yield ".SH COMMANDS"
    for name, command in commands.items():
        assert command is not None
        yield from (f".SS {_escaped(f'{NAMES[0]} {name}')}", *_paragraphs(command.help or ""))
        yield from _options(command, context)
        for heading, lines in _examples(command):
            yield from (".PP", f"{_escaped(heading)}:", ".RS", *lines, ".RE")


_SUMMARY = "what changed between two snapshots of a Spack package catalog"


def _synopsis(name: str, command: click.Command, above: click.Context) -> Iterator[str]:
    shown = f"[{name}]" if name == DEFAULT_COMMAND else name
    pieces = command.collect_usage_pieces(click.Context(command, above, name))
    yield f".B {_escaped(NAMES[0])} {_escaped(shown)}"
    yield from (_escaped(" ".join(pieces)), ".br")


def _options(command: click.Command, above: click.Context) -> Iterator[str]:
    context = click.Context(command, above, command.name)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and isinstance(parameter, click.Option):
            yield from (".TP", f".B {_escaped(record[0])}", _escaped(record[1]))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield from (".PP", _escaped(" ".join(paragraph.split())))


def _examples(command: click.Command) -> Iterator[tuple[str, list[str]]]:
    """Yield what is below the options of a command's help: a heading, and lines as they are."""
    for block in (command.epilog or "").split("\b\n"):
        heading, _, lines = block.strip("\n").partition(":\n")
        if lines:
            yield heading, [".nf", *(_escaped(line) for line in lines.splitlines()), ".fi"]


def _escaped(text: str) -> str:
    """Return text as roff prints it letter by letter."""
    escaped = "".join(
        _ROFF.get(letter, letter if letter.isascii() else f"\\[u{ord(letter):04X}]")
        for letter in text
    )
    return f"\\&{escaped}" if escaped.startswith((".", " ")) else escaped


def main() -> int:
    """Write the files; return the exit status."""
    for path, text in command_files().items():
        file = SHARE / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
