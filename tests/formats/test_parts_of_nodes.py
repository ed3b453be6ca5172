"""Parts of nodes that are read once: whatever is remembered, a text means what it says."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from snapdiff.errors import FormatError
from snapdiff.formats import spec_node
from snapdiff.formats.json_text import Key, records_by_hash
from snapdiff.formats.spec_node import EDGE, NAMED_EDGE, PARAMETERS, read_edges
from snapdiff.model.specs import Edge
from snapdiff.spack import Scalar, write_parameters
from tests.support.documents import digest

WORDS = st.lists(st.sampled_from(["build", "link", "run", "test", "mpi", "c"]), max_size=3)


def texts_of_edges() -> st.SearchStrategy[dict[str, object]]:
    """Edges as documents have had them: the hash under three names, types in two places."""
    names = st.sampled_from(["zlib", "gmake", "mpi"])
    hashes = st.dictionaries(
        st.sampled_from(["hash", "build_hash", "full_hash"]), st.sampled_from(["a" * 32, "b" * 32])
    )
    places = st.one_of(
        st.fixed_dictionaries({"type": WORDS}),
        st.fixed_dictionaries(
            {"parameters": st.fixed_dictionaries({"deptypes": WORDS, "virtuals": WORDS})}
        ),
    )
    return st.builds(
        lambda name, *parts: {"name": name, **parts[0], **parts[1]}, names, hashes, places
    )


def plain_edge(fields: dict[str, object]) -> Edge:
    """An edge read without a memory."""
    parameters = fields.get("parameters")
    assert isinstance(parameters, dict | None)
    types = parameters["deptypes"] if parameters else fields.get("type")
    return Edge(
        str(fields["name"]),
        str(fields.get("hash") or fields.get("build_hash") or fields.get("full_hash") or ""),
        tuple(sorted(types)),  # type: ignore[arg-type]
        tuple(sorted(parameters["virtuals"])) if parameters else (),
    )


@given(st.lists(texts_of_edges(), max_size=12))
def test_edges_are_what_their_texts_say_whatever_was_read_before(
    edges: list[dict[str, object]],
) -> None:
    raws = [Raw(json.dumps(edge).encode()) for edge in edges]
    assert list(map(EDGE.read, raws)) == [plain_edge(edge) for edge in edges]
    text = Raw(json.dumps(edges).encode())
    assert read_edges(text, "key") == tuple(sorted(map(plain_edge, edges)))


def test_an_edge_without_a_word_leads_nowhere() -> None:
    assert EDGE.read(Raw(b"{}")) == Edge("", "", (), ())


def test_equal_edges_of_many_nodes_are_one_object() -> None:
    first, second = (Raw(b'{"name": "zlib", "hash": "%b"}' % (b"a" * 32)) for _ in range(2))
    assert EDGE.read(first) is EDGE.read(second)


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec_node, "_REMEMBERED", 3)
    for number in range(10):
        parameters = {"api": f"v{number}"}
        text = Raw(json.dumps(parameters).encode())
        assert PARAMETERS.read(text) == PARAMETERS.read(text) == write_parameters(parameters)
    long: dict[str, Scalar | list[Scalar]] = {"patches": ["x" * 7] * 1000}
    text = Raw(json.dumps(long).encode())
    assert PARAMETERS.read(text) == write_parameters(long)
    assert bytes(text) not in PARAMETERS


def test_an_edge_that_cannot_be_read_is_named_by_its_place() -> None:
    edges = b'{"name": "zlib"}', b'{"name": "gmake", "hash": 5}'
    with pytest.raises(FormatError, match=r"^key\.dependencies\[1\]\.hash: expected str"):
        read_edges(Raw(b"[%b, %b]" % edges), "key")
    with pytest.raises(FormatError, match=r"^key\.dependencies\.gmake\.hash: expected str"):
        read_edges(Raw(b'{"zlib": %b, "gmake": %b}' % edges), "key")
    with pytest.raises(FormatError, match=r"^key\.dependencies: expected object \| array \| null"):
        read_edges(Raw(b"5"), "key")


@pytest.mark.parametrize(
    ("text", "types"),
    [(b'"%b"', ("build", "link")), (b'["%b", ["run"]]', ("run",)), (b'["%b", null]', ())],
)
def test_an_edge_of_a_mapping_may_be_a_hash_alone(text: bytes, types: tuple[str, ...]) -> None:
    spec_hash = "a" * 32
    assert NAMED_EDGE.read(Raw(text % spec_hash.encode())) == Edge("", spec_hash, types, ())


@given(
    st.lists(
        st.one_of(
            st.integers(0, 5).map(digest),
            st.text("abc234567189AÄ", min_size=30, max_size=34),
        ),
        max_size=4,
    )
)
def test_records_are_known_by_hashes_each_of_them_once(keys: list[str]) -> None:
    records = {Key(key): Raw(b"{}") for key in keys}
    assert len(records) == len(keys)
    are_hashes = all(re.fullmatch("[a-z2-7]{32}", key) for key in keys)
    if are_hashes and len(set(keys)) == len(keys):
        assert list(records_by_hash(records, "installs")) == keys
    else:
        with pytest.raises(FormatError, match=r"^installs(: .* is no hash|\.\S*: is there twice)"):
            records_by_hash(records, "installs")
