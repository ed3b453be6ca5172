"""The Jinja2 environments: made once a process, and still up to date with the files they read."""

import os
from pathlib import Path

from snapdiff.reports.templates import (
    html_environment,
    markdown_environment,
    plain_words,
    render_template,
    text_environment,
)
from snapdiff.reports.terminal import painter


def test_an_environment_is_made_once_and_not_for_each_report() -> None:
    assert markdown_environment() is markdown_environment()
    assert html_environment() is html_environment()
    assert plain_words(None, "stack", "rebuilt", 3) is plain_words(None, "stack", "rebuilt", 3)
    assert text_environment(None, painter(color=True)) is text_environment(
        None, painter(color=True)
    )
    assert painter(color=True) is not painter(color=False)


def test_a_template_that_changed_between_two_reports_is_read_again(tmp_path: Path) -> None:
    template = tmp_path / "greeting.j2"
    template.write_text("old words")
    assert render_template(markdown_environment(tmp_path), "greeting.j2") == "old words"
    template.write_text("new words")
    os.utime(template, (1, 1))
    assert render_template(markdown_environment(tmp_path), "greeting.j2") == "new words"
