"""Damaged input: a file of the corpus, cut, doubled, spliced and sprinkled with what bites."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

CORPUS = Path(__file__).resolve().parent / "corpus"
"""A folder for every target; every file in it is an input that once was of interest."""

_MOST_BYTES = 20_000


def corpus_of(target: str) -> list[bytes]:
    """The seeds of a target, in the order of their names."""
    files = sorted(file for file in (CORPUS / target).iterdir() if file.is_file())
    return [file.read_bytes() for file in files]


@st.composite
def damaged(draw: st.DrawFn, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """A seed after up to eight mutations; `words` mean something to what reads it."""
    data = draw(st.sampled_from(seeds))
    pieces = st.one_of(
        st.sampled_from(words),
        st.sampled_from(words).flatmap(
            lambda word: st.sampled_from((2, 3, 50, 2000)).map(lambda count: word * count)
        ),
        st.binary(max_size=4),
        st.text(max_size=4).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.sampled_from(seeds).flatmap(_part),
    )
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.one_of(st.just(start), st.integers(start, min(len(data), start + 40))))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            data = data[:start] + data[end:]
        elif kind == 1:
            data = data[:end] + data[start:end] + data[end:]
        else:
            data = data[:start] + draw(pieces) + data[end:]
        data = data[:_MOST_BYTES]
    return data


@st.composite
def _part(draw: st.DrawFn, seed: bytes) -> bytes:
    start = draw(st.integers(0, len(seed)))
    return seed[start : start + draw(st.integers(0, 200))]
