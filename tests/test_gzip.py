"""Gzip, unfolded piece by piece: the same whatever the chunks, at a cost like its size."""

import collections
import gzip
import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.errors import FormatError
from snapdiff.limits import unfold, unfold_whole

LIMIT = 4 << 20

TEXT = random.Random(7).randbytes(5_000) * 200  # noqa: S311 - the same bytes every time
"""A megabyte that folds to less than a hundredth."""


@given(
    members=st.lists(st.binary(max_size=200), min_size=1, max_size=4),
    zeros=st.integers(0, 20),
    size=st.integers(1, 50),
)
def test_chunks_of_any_size_give_what_was_folded(
    members: list[bytes], zeros: int, size: int
) -> None:
    content = b"".join(map(gzip.compress, members)) + bytes(zeros)
    chunks = [content[start : start + size] for start in range(0, len(content), size)]
    assert b"".join(unfold(chunks)) == unfold_whole(content, LIMIT) == b"".join(members)


@given(content=st.binary(min_size=1, max_size=200), cut=st.integers(1, 20))
def test_what_is_cut_off_is_found(content: bytes, cut: int) -> None:
    with pytest.raises(FormatError, match=r"^the gzip data ends early$"):
        list(unfold([gzip.compress(content)[:-cut]]))


def test_what_is_too_large_is_refused_before_it_is_all_there() -> None:
    folded = gzip.compress(TEXT * 5)
    with pytest.raises(FormatError, match=r"is too large, .* --max-size raises it$"):
        unfold_whole(folded, LIMIT)


def endless(chunk: bytes, beginning: bytes = b"") -> Iterator[bytes]:
    return itertools.chain([beginning], itertools.repeat(chunk))


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        (endless(gzip.compress(b"")), "the gzip data has over 1,000 members"),
        (endless(gzip.compress(b"") * 50_000), "the gzip data has over 1,000 members"),
        (endless(gzip.compress(bytes(1 << 20), 9)), "the gzip data unfolds to over 200 times"),
        (endless(bytes(1 << 20), b"\x1f\x8b"), "the gzip data is damaged"),
    ],
    ids=["members", "members at once", "bomb", "no gzip"],
)
def test_what_never_ends_is_given_up(chunks: Iterator[bytes], reason: str) -> None:
    with pytest.raises(FormatError, match=f"^{reason}"):
        collections.deque(unfold(chunks), maxlen=1)


def test_pieces_are_small_however_much_a_chunk_unfolds_to() -> None:
    pieces = list(unfold([gzip.compress(TEXT * 4)]))
    assert max(map(len, pieces)) <= 1 << 20
    assert b"".join(pieces) == TEXT * 4
