"""Options that several commands have: one meaning, written once."""

from pathlib import Path

import click
import pytest

from snapdiff.cli.answer_commands import why
from snapdiff.cli.changelog_command import changelog
from snapdiff.cli.diff_command import diff
from snapdiff.cli.options import KINDS
from snapdiff.result.packages import Kind
from tests.support.helpers import run_cli

OWN_WORDS = {"repo", "format_name", "output", "group_by", "detail", "template", "verbose"}
"""What each command says in words of its own, as these options do something else there."""


def test_an_option_of_several_commands_says_the_same_in_each() -> None:
    helps: dict[str, set[str]] = {}
    for command in (diff, changelog, why):
        for option in command.params:
            if isinstance(option, click.Option):
                helps.setdefault(str(option.name), set()).add(str(option.help))
    assert {name for name, texts in helps.items() if len(texts) > 1} <= OWN_WORDS
    assert len(helps) > len(OWN_WORDS)


@pytest.mark.parametrize("command", ["diff", "changelog", "why"])
def test_names_are_never_all_linked_to_one_page(command: str, tmp_path: Path) -> None:
    told = run_cli(command, "-C", tmp_path, "--package-url", "https://site.example/", "x", "a..b")
    assert told.status == 2
    assert "has no {package} in it, and would link all to one" in told.err


def test_the_kinds_that_help_names_are_all_there_are() -> None:
    assert set(KINDS) == set(Kind)


def test_help_has_both_its_options_in_a_context_of_its_own() -> None:
    """What CI systems start makes one without the group, and click keeps its help option."""
    assert diff.make_context("diff", []).help_option_names == ["-h", "--help"]
