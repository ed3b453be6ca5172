"""Untrusted text made visible, and cut where it is very long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.safe_text import LONGEST, shown, visible
from tests.support.work import seconds


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", ""),
        ("gcc@12.3.0 é☃", "gcc@12.3.0 é☃"),
        ("a\x1b[31mb\nc", "a\\x1b[31mb\\nc"),
        ("\u202e\u200b\U000e0001\ud800", "\\u202e\\u200b\\U000e0001\\ud800"),
    ],
)
def test_what_cannot_be_printed_is_escaped(text: str, seen: str) -> None:
    assert visible(text) == shown(text) == seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("##[stop-commands]x", "#\\x23[stop-commands]x"),
        ("in a###[add-mask]b", "in a##\\x23[add-mask]b"),
        ("::add-mask::e", "\\x3a:add-mask::e"),
        ("  ::error::e, ::stop::", "  \\x3a:error::e, \\x3a:stop::"),
        ("std::string :: a:::b ##a", "std::string :: a:::b ##a"),
    ],
)
def test_what_a_ci_system_would_take_for_a_command_is_escaped(text: str, seen: str) -> None:
    assert visible(text) == shown(text) == seen
    assert visible(seen) == seen
    long = f"{text} {'a' * LONGEST}"
    assert shown(long).startswith(seen)


@given(st.text())
def test_all_that_is_visible_can_be_printed(text: str) -> None:
    assert visible(text).isprintable()
    assert shown(text).isprintable()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a" * LONGEST, "a" * LONGEST),
        ("a" * (LONGEST + 1), "a" * LONGEST + "… (1 more characters)"),
        ("a" * 10_000, "a" * LONGEST + "… (9,800 more characters)"),
        ("\x01" * 51, "\\x01" * 50 + "… (1 more characters)"),
        ("a" * (LONGEST - 1) + "\n" + "b", "a" * (LONGEST - 1) + "… (2 more characters)"),
    ],
)
def test_what_is_cut_off_is_counted(text: str, seen: str) -> None:
    assert shown(text) == seen


@pytest.mark.slow
def test_a_value_is_cut_before_all_of_it_is_escaped() -> None:
    value = "\u200b" * 5_000_000
    cut = seconds(lambda: [shown(value) for _ in range(100)])
    assert cut < seconds(lambda: visible(value))
