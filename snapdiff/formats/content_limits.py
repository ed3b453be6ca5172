"""How much is taken of a page or a document, and of what is in it."""

import re
from collections.abc import Iterable

from snapdiff.errors import FormatError
from snapdiff.limits import VERSION_PARTS, Limits, SizeLimit, over_limit
from snapdiff.model import Build, StackCounts

PLACES = 10_000
"""How many pairs of stack and release a spec of the site's data may have; real ones have a few."""

_PART = re.compile("[0-9]+|[^0-9._-]+")


def check_document_size(content: bytes, limit: SizeLimit) -> None:
    """Raise FormatError where a document is larger than is taken."""
    if len(content) > limit.size:
        raise limit.error("is too large")


def check_version(version: str, key: str) -> None:
    """Raise FormatError where a version has more parts than can be compared at little cost."""
    if has_too_many_parts(version):
        raise FormatError(
            f"{key}: a version of over {VERSION_PARTS} parts, {version[:64]!r} and so on"
        )


def has_too_many_parts(version: str) -> bool:
    """Return whether a version has more parts than can be compared at little cost."""
    return len(version) > VERSION_PARTS and len(_PART.findall(version)) > VERSION_PARTS


_LINE = 1024
"""What a change costs in a report, in characters, beside what the page says of the spec."""


_ORDERING = 12
"""What a character of a version costs to be put in order, in the same measure."""


def check_size(content: bytes, limits: Limits) -> None:
    """Raise FormatError where a page is larger, or holds more values, than is taken."""
    if len(content) > limits.page_size:
        raise limits.page.error("is too large")
    most = limits.values
    # There are no more values than commas, line breaks and one; a short page need not be counted.
    if len(content) > most and content.count(b",") + content.count(b"\n") >= most:
        raise over_limit("the page holds too many values", most, "values")


def check_listing(
    by_stacks: StackCounts, builds: Iterable[tuple[Build, int]], length: int, limits: Limits
) -> None:
    """Raise FormatError where a report, which lists a spec once a stack, could be too long.

    `builds` are those of the specs that `by_stacks` counts, each with a number of specs; all are
    described in at most `length` characters.
    """
    most_stacks = max(map(len, by_stacks), default=0)
    if most_stacks * 16 * length <= limits.text:
        return  # nothing costs more than 16 times as much as it takes in the page
    text = 0
    for build, number in builds:
        fields = build.version_text, build.compiler, build.os, build.platform, build.target
        line = _LINE + sum(map(_shown_length, (*fields, *build.variants)))
        line += _ORDERING * len(build.version_text)
        text += number * len(build.stacks) * line
    if text > limits.text:
        what = "listing each spec once for each of its stacks takes too much"
        raise over_limit(what, limits.text, "characters")


def _shown_length(text: str) -> int:
    """Return how long a text is in a report at most: what cannot be printed is escaped."""
    return len(text) if text.isprintable() else len(text) * 8
