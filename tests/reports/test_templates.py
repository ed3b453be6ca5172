"""The Jinja2 environments: made once a process, and still up to date with the files they read."""

import os
from pathlib import Path

from snapdiff.reports import ReportOptions
from snapdiff.reports.templates import (
    environment_of,
    plain_words,
    render_template,
)


def test_an_environment_is_made_once_and_not_for_each_report() -> None:
    plain, colored = ReportOptions(), ReportOptions(color=True)
    for format_name in ("markdown", "html", "text"):
        assert environment_of(format_name, plain) is environment_of(format_name, plain)
    assert plain_words(None, "stack", 3) is plain_words(None, "stack", 3)
    assert environment_of("text", colored) is not environment_of("text", plain)
    assert environment_of("markdown", colored) is environment_of("markdown", plain)


def test_a_template_that_changed_between_two_reports_is_read_again(tmp_path: Path) -> None:
    template = tmp_path / "greeting.j2"
    template.write_text("old words")
    environment = environment_of("markdown", ReportOptions(templates=tmp_path))
    assert render_template(environment, "greeting.j2") == "old words"
    template.write_text("new words")
    os.utime(template, (1, 1))
    assert render_template(environment, "greeting.j2") == "new words"
