"""Spack's version order: what is newer, what is the same, how much two versions share."""

import re
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(r"[0-9]+|[^0-9._-]+")
_GIT_VERSION = re.compile(r"(?:git\.)?([^=]+)=(.+)", re.DOTALL)
_SHA = re.compile(r"[0-9a-f]{40}")

_STRING, _INTEGER, _INFINITY = range(3)
_INFINITY_WORDS = ("stable", "nightly", "trunk", "head", "master", "main", "develop")
_PRE_RELEASES = ("alpha", "beta", "rc")

Token = tuple[int, int, str]
"""A token as it ranks: its class, then a number (an integer's length, a word's place), then text.

Integers are compared by length and then by text, so a number of any length costs no arithmetic.
"""


class Version(NamedTuple):
    """A version as it orders: compare with `<`, `==` and `>`.

    The order is section 5 of the specification, which is Spack's own
    (https://spack.readthedocs.io/en/latest/packaging_guide_creation.html, "Version comparison").
    """

    release: tuple[Token, ...]
    pre_release: tuple[int | Token, ...]
    git_ref: tuple[str, ...]

    @property
    def is_branch(self) -> bool:
        """Whether it is the tip of a branch, as `develop` and `main`, and no release."""
        return bool(self.release) and self.release[0][0] == _INFINITY


@lru_cache(maxsize=65536)
def parse_version(text: str) -> Version:
    """Return the order of `text`; every text has one, even an empty one."""
    git_ref: tuple[str, ...] = ()
    git = _GIT_VERSION.fullmatch(text)
    if git and (text.startswith("git.") or _SHA.fullmatch(git[1])):
        git_ref = (git[1],)
        text = git[2]
    words = _TOKEN.findall(text)
    pre_release: tuple[int | Token, ...] = (len(_PRE_RELEASES),)
    if len(words) >= 3 and words[-2] in _PRE_RELEASES and words[-1].isdecimal():
        pre_release = (_PRE_RELEASES.index(words[-2]), _token(words[-1]))
        words = words[:-2]
    elif len(words) >= 2 and words[-1] in _PRE_RELEASES:
        pre_release = (_PRE_RELEASES.index(words[-1]),)
        words = words[:-1]
    return Version(tuple(_token(word) for word in words), pre_release, git_ref)


def _token(word: str) -> Token:
    if "0" <= word[0] <= "9":
        digits = word.lstrip("0")
        return (_INTEGER, len(digits), digits)
    if word in _INFINITY_WORDS:
        return (_INFINITY, _INFINITY_WORDS.index(word), "")
    return (_STRING, 0, word)
