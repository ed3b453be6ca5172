"""No secret that a server repeats is shown, in whatever spelling it comes back."""

import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.safe_text import hidden

SECRET = "ghp_SECRETsecret123/+="  # noqa: S105 - nobody's

SPELLINGS = {
    "as it is": SECRET,
    "in a URL": quote(SECRET, safe=""),
    "in a URL, small letters": quote(SECRET, safe="").lower().replace("ghp_secret", "ghp_SECRET"),
    "in a URL, twice": quote(quote(SECRET, safe=""), safe=""),
    "all of it in a URL": "".join(f"%{ord(char):02x}" for char in SECRET),
    "in JSON": json.dumps(SECRET).replace("/", r"\/").replace("+", r"\u002b"),
    "in HTML": html.escape(SECRET).replace("+", "&#43;").replace("=", "&#x3D;"),
    "over two lines": f"{SECRET[:9]}\r\n   {SECRET[9:]}",
    "over two lines, in JSON": f"{SECRET[:9]}\\r\\n{SECRET[9:]}",
    "with a control code": f"{SECRET[:9]}\x1b\x00{SECRET[9:]}",
    "letter by letter": "\u200b".join(SECRET),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_secret_is_hidden_in_each_spelling(spelling: str) -> None:
    text = hidden(f"bad token {SPELLINGS[spelling]}, sorry", SECRET)
    assert text.replace('"', "") == "bad token [token], sorry"


@given(text=st.text(alphabet="ab c%/"), secret=st.text(alphabet="abc%/", min_size=4))
def test_what_is_hidden_is_in_no_text(text: str, secret: str) -> None:
    found = hidden(f"{text}{secret}{text}", secret)
    assert secret not in found


@given(st.text())
def test_a_text_without_a_secret_stays(text: str) -> None:
    assert hidden(text, "\0never\0there\0") == text


def test_a_secret_of_a_few_letters_takes_nothing_out() -> None:
    for secret in ("", "e", "no"):
        assert hidden("no such file", secret) == "no such file"


def test_a_long_text_of_almost_secrets_takes_no_time() -> None:
    text = f"{SECRET[:-1]}{' ' * 99}" * 20_000
    assert hidden(text, SECRET) == text
