"""Gzip, unfolded piece by piece: all that it holds, at a cost like its size."""

import gzip
import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.errors import FormatError
from snapdiff.limits import unfold

LIMIT = 4 << 20

TEXT = random.Random(7).randbytes(5_000) * 200  # noqa: S311 - the same bytes every time
"""A megabyte that folds to less than a hundredth."""


@given(
    members=st.lists(st.binary(max_size=200), min_size=1, max_size=4),
    zeros=st.integers(0, 20),
    large=st.integers(0, 4),
)
def test_members_of_any_size_give_what_was_folded(
    members: list[bytes], zeros: int, large: int
) -> None:
    members.insert(large, bytes(70_000) + TEXT[:70_000] if large else b"")
    content = b"".join(gzip.compress(member, 1) + bytes(zeros) for member in members)
    assert unfold(content, LIMIT) == b"".join(members)


def test_what_does_not_fold_is_taken_slice_by_slice() -> None:
    text = random.Random(8).randbytes(200_000)  # noqa: S311 - the same bytes every time
    for content in gzip.compress(text), gzip.compress(text[:90_000]) + gzip.compress(text[90_000:]):
        assert unfold(content, LIMIT) == text


@given(content=st.binary(min_size=1, max_size=200), cut=st.integers(1, 19))
def test_what_is_cut_off_is_found(content: bytes, cut: int) -> None:
    """Two bytes are left at the least: one alone does not say that it is gzip."""
    with pytest.raises(FormatError, match=r"^the gzip data ends early$"):
        unfold(gzip.compress(content)[:-cut], LIMIT)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(TEXT * 5), r"is too large, .* --max-size raises it$"),
        (gzip.compress(b"") * 50_000, "the gzip data has over 1,000 members"),
        (gzip.compress(bytes(8 << 20), 9), "the gzip data unfolds to over 200 times"),
        (b"\x1f\x8b" + bytes(1 << 20), "the gzip data is damaged"),
    ],
    ids=["large", "members", "bomb", "no gzip"],
)
def test_what_is_too_much_is_refused_before_it_is_all_there(content: bytes, reason: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=f"^{reason}"):
            unfold(content, LIMIT)
        assert tracemalloc.get_traced_memory()[1] < 3 * LIMIT
    finally:
        tracemalloc.stop()
