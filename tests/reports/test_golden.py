"""Whole reports of the example catalogs, in every format that is text."""

import pytest

from tests.golden import REPORTS, ROOT, golden_text
from tests.support.helpers import run_cli


@pytest.mark.parametrize("name", REPORTS)
def test_the_report_is_the_same_to_the_letter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = run_cli(*REPORTS[name])
    assert result.err == ""
    assert result.out == golden_text(name)
