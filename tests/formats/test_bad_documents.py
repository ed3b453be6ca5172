"""Documents with dependencies that cannot be read: one line, with the key path, and no crash."""

import contextlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.catalog.reading import pair_documents
from snapdiff.catalog.reading import read_pair as pair_of_readings
from snapdiff.errors import BadPage, FormatError
from snapdiff.formats.document import Document
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import Limits
from tests.support.documents import Item, Json, database, digest, file, lock, read, to_bytes
from tests.support.work import work

KEY = "a" * 32


def error_of(content: bytes | Json, path: str = "stack/spack.lock") -> str:
    """The error of a document that cannot be read."""
    document = file(path, content)
    with pytest.raises(FormatError) as error:
        read(document)
    assert "\n" not in str(error.value)
    return str(error.value)


CONFLICT = b"""{
<<<<<<< HEAD
  "_meta": {"file-type": "spack-lockfile", "lockfile-version": 5},
=======
  "_meta": {"file-type": "spack-lockfile", "lockfile-version": 6},
>>>>>>> other
  "roots": []
}"""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CONFLICT, "line 2: a conflict marker of git; resolve the merge first"),
        (CONFLICT.replace(b"\n", b"\r\n"), "line 2: a conflict marker of git"),
        (b"", "no JSON: the file ends early"),
        (b'{"concrete_specs": {', "no JSON: the file ends early"),
        (b"lock:\n  version: 1\n", "line 1: no JSON (invalid character"),
        (b'{"roots": [],\n}', "line 2: no JSON ("),
        (b"[]", "the document: expected object, got array"),
        (b'"text"', "the document: expected object, got str"),
        (b"{}", "concrete_specs: missing; this is no lock of an environment"),
        (b'{"lockfileVersion": 3, "packages": {}}', "concrete_specs: missing"),
        (b'{"concrete_specs": []}', "concrete_specs: expected object | null, got array"),
        (b'{"include_concrete": {"/a": {"concrete_specs": {}}}}', "concrete_specs: missing; this"),
        (b'{"concrete_specs": {"x": ' + b"[" * 100_000, "lists and mappings within each other"),
        (
            b'{"_meta": {"lockfile-version": ' + b"9" * 10_000 + b'}, "concrete_specs": {}}',
            "_meta.lockfile-version: integer value out of range",
        ),
        (
            b'{"_meta": {"file-type": "other"}, "concrete_specs": {}}',
            "_meta.file-type: 'other'; a lock has 'spack-lockfile'",
        ),
        (b'{"_meta": {"file-type": "\xff"}, "concrete_specs": {}}', "_meta: a text that"),
        (b'{"concrete_specs": {}, "_meta": null}', "_meta: expected object, got null"),
        (b'{"concrete_specs": {}, "roots": null}', "roots: expected array, got null"),
        (b'{"concrete_specs": {}, "roots": [{"hash": 5}]}', "roots[0].hash: expected str, got int"),
        (b'{"concrete_specs": {}, "include_concrete": 5}', "include_concrete: expected object"),
        (b'{"concrete_specs": {}, "x": null, "x": null}', "x: is there twice; resolve the merge"),
    ],
)
def test_what_is_no_lock_is_named(content: bytes, reason: str) -> None:
    assert error_of(content).startswith(reason)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("zlib", "'zlib' is no hash"),
        ("A" * 32, "no hash"),
        ("a" * 31, "no hash"),
        ("1" * 32, "no hash"),
        ("a" * 33, "no hash"),
        ("é" * 32, "no hash"),
        ("", "'' is no hash"),
    ],
)
def test_a_key_that_is_no_hash_is_named(key: str, reason: str) -> None:
    found = error_of({"concrete_specs": {key: {}}})
    assert found.startswith("concrete_specs: ")
    assert reason in found


def test_two_nodes_of_one_key_are_an_error() -> None:
    record = json.dumps({"name": "zlib", "version": "1"})
    text = f'{{"concrete_specs": {{"{KEY}": {record}, "{"b" * 32}": {record}, "{KEY}": {record}}}}}'
    assert (
        error_of(text.encode())
        == f"concrete_specs.{KEY}: is there twice; resolve the merge that left both"
    )
    escaped = text.replace(f'"{KEY}"', f'"\\u0061{KEY[1:]}"', 1)
    assert (
        error_of(escaped.encode())
        == f"concrete_specs.{KEY}: is there twice; resolve the merge that left both"
    )


@pytest.mark.parametrize("name", ["concrete_specs", "roots", "_meta", "include_concrete"])
def test_a_key_twice_at_the_top_of_a_lock_is_an_error(name: str) -> None:
    document = lock([Item("zlib", explicit=True)], include_concrete={})
    text = to_bytes(document).decode().replace(f'"{name}"', f'"{name}":{{}},"{name}"', 1)
    if name == "roots":
        text = text.replace('"roots":{}', '"roots":[]')
    assert error_of(text.encode()).startswith(f"{name}: is there twice")


def test_an_environment_that_is_included_twice_under_one_name_is_an_error() -> None:
    inner = to_bytes(lock([Item("zlib")])).decode()
    twice = f'{{"concrete_specs":{{}},"include_concrete":{{"/a":{inner},"/a":{inner}}}}}'
    assert error_of(twice.encode()).startswith("include_concrete./a: is there twice")


def test_of_a_long_name_that_is_there_twice_the_beginning_is_told() -> None:
    name = "/" + "a" * 64
    twice = f'{{"concrete_specs":{{}},"include_concrete":{{"{name}":{{}},"{name}":{{}}}}}}'
    assert error_of(twice.encode()).startswith(f"include_concrete.{name[:64]}: is there twice")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("database", {"installs": {}}),
        ("installs", {"b" * 32: {}}),
        ("version", "5"),
    ],
)
def test_a_key_twice_in_a_database_is_an_error(
    name: str, first: Json | str, indent: int | None
) -> None:
    document = database([Item(f"zlib-{number}") for number in range(30)], 8)
    text = json.dumps(document, indent=indent, separators=(",", ":"))
    twice = text.replace(f'"{name}":', f'"{name}":{json.dumps(first)},"{name}":', 1)
    place = name if name == "database" else f"database.{name}"
    assert error_of(twice.encode(), "m/build_cache/index.json").startswith(
        f"{place}: is there twice"
    )
    assert read(file("m/build_cache/index.json", text.encode()))


@pytest.mark.parametrize("first", ["1", "{}"])
@pytest.mark.parametrize("space", ["", " "])
def test_the_smallest_record_that_is_there_twice_is_an_error(first: str, space: str) -> None:
    installs = f'"{KEY}":{first},{space}"{KEY}":{{}}'
    text = f'{{"database":{{"installs":{{{installs}}}}}}}'
    found = error_of(text.encode(), "m/build_cache/index.json")
    assert found.startswith(f"database.installs.{KEY}: is there twice")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": None}, ".name: expected str, got null"),
        ({"name": ""}, ".name: missing"),
        ({"version": 1}, ".version: expected str | null, got int"),
        ({"version": None}, ".version: missing"),
        ({"version": ".".join("1" * 65)}, ".version: a version of over 64 parts"),
        ({"arch": {"target": 5}}, ".arch.target: expected str | object | null, got int"),
        ({"arch": {"target": {}}}, ".arch.target.name: missing"),
        ({"arch": "linux-x"}, ".arch: expected object | null, got str"),
        ({"compiler": {"version": "1"}}, ".compiler.name: missing"),
        ({"parameters": []}, ".parameters: expected object, got array"),
        ({"parameters": {"x": {}}}, ".parameters[]: expected"),
        ({"dependencies": 5}, ".dependencies: expected"),
        ({"dependencies": [{"hash": 5}]}, ".dependencies[0].hash: expected str | null, got int"),
        ({"dependencies": {"x": {"hash": 5}}}, ".dependencies.x.hash: expected"),
        ({"external": "yes"}, ".external: expected bool | object | null, got str"),
    ],
)
def test_a_node_in_no_known_shape_is_named_with_its_key_path(change: Json, reason: str) -> None:
    document = lock([Item("zlib", hash=KEY)])
    document["concrete_specs"][KEY] |= change
    assert error_of(document).startswith(f"concrete_specs.{KEY}{reason}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"name": 5}, ".name: expected str, got int"), ({"version": None}, ".version: missing")],
)
def test_a_node_that_is_only_counted_is_named_with_its_key_path(change: Json, reason: str) -> None:
    document = lock([Item("zlib", hash=KEY)])
    document["concrete_specs"][KEY] |= change
    found = DOCUMENTS.reader("spack.lock", Limits())(file("spack.lock", document))
    assert found
    with pytest.raises(FormatError, match=rf"^concrete_specs\.{KEY}{re.escape(reason)}"):
        _ = found.counts


def test_an_included_environment_is_named_with_its_key_path() -> None:
    inner = {"concrete_specs": {KEY: {"name": "zlib", "version": 1}}}
    found = error_of(lock([], include_concrete={"/env": inner}))
    assert found.startswith(f"include_concrete./env.concrete_specs.{KEY}.version: expected")
    missing = error_of(lock([], include_concrete={"/env": {}}))
    assert missing.startswith("include_concrete./env.concrete_specs: missing")
    broken = error_of(lock([], include_concrete={"/env": {"concrete_specs": {"x": {}}}}))
    assert broken.startswith("include_concrete./env.concrete_specs: 'x' is no hash")
    shape = error_of(lock([], include_concrete={"/env": {"concrete_specs": []}}))
    assert shape.startswith("include_concrete./env.concrete_specs: expected object")
    text = error_of(
        b'{"concrete_specs": {}, "include_concrete": {"/env": {"_meta": {"file-type": "\xff"}}}}'
    )
    assert text == "include_concrete./env._meta: a text that is not UTF-8"


def test_a_node_of_several_environments_is_named_in_the_first() -> None:
    nodes = {"concrete_specs": {KEY: {"name": "zlib", "version": 1}}}
    found = error_of({**nodes, "include_concrete": {"/env": nodes}})
    assert found.startswith(f"concrete_specs.{KEY}.version: expected")


def test_environments_in_environments_end_somewhere() -> None:
    document: Json = {"concrete_specs": {}}
    for _ in range(99):
        document = {"concrete_specs": {}, "include_concrete": {"e": document}}
    assert read(file("spack.lock", document)).packages == []
    one_more = {"concrete_specs": {}, "include_concrete": {"e": document}}
    assert "over 100 environments in each other" in error_of(one_more)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "1", "name": 5}, ".spec.name: expected str, got int"),
        ({"version": 5}, ".spec.version: expected str | null, got int"),
        ({"version": None}, ".spec.version: missing"),
    ],
)
def test_a_record_of_a_database_is_named_with_its_key_path(change: Json, reason: str) -> None:
    document = database([Item("zlib", hash=KEY)])
    document["database"]["installs"][KEY]["spec"] |= change
    for path in ("m/build_cache/index.json", "m/.spack-db/index.json"):
        assert error_of(document, path).startswith(f"database.installs.{KEY}{reason}")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{}", "database: missing; this is no index or database of Spack's"),
        (b'{"database": {}}', "database.installs: missing"),
        (b'{"database": {"installs": {"x": {}}}}', "database.installs: 'x' is no hash"),
        (to_bytes({"database": {"installs": {KEY: {}}}}), f"database.installs.{KEY}.spec.name"),
        (
            to_bytes({"database": {"installs": {KEY: {"spec": {"a": {}, "b": {}}}}}}),
            f"database.installs.{KEY}.spec.name: missing",
        ),
        (
            to_bytes({"database": {"installs": {KEY: {"spec": {"": {"version": "1"}}}}}}),
            f"database.installs.{KEY}.spec.name: empty",
        ),
    ],
)
def test_what_is_no_database_is_named(content: bytes, reason: str) -> None:
    assert error_of(content, "m/build_cache/index.json").startswith(reason)


@pytest.mark.parametrize("version", ["9", "nine", 9, None, "1" * 5000])
def test_an_unknown_version_of_a_database_is_read_by_its_shape(version: object) -> None:
    document = database([Item("zlib")])
    document["database"]["version"] = version
    found = read(file("m/build_cache/index.json", document))
    assert [package.name for package in found.packages] == ["zlib"]
    assert found.warning
    assert found.warning.startswith("database.version is ")


@pytest.mark.parametrize("is_new", [False, True])
def test_of_two_versions_the_one_that_is_bad_is_named(is_new: bool) -> None:
    good = lock([Item("m4")])
    bad = lock([Item("zlib", hash=KEY), Item("m4")])
    bad["concrete_specs"][KEY]["arch"] = 5
    documents = (good, bad) if is_new else (bad, good)
    versions = [
        DOCUMENTS.reader("spack.lock", Limits())(file("spack.lock", found)) for found in documents
    ]
    pair = pair_of_readings("spack.lock", lambda side, _: versions[side == "new"])
    found, other = (pair.new, pair.old) if is_new else (pair.old, pair.new)
    assert isinstance(found, BadPage)
    assert (found.side, pair.is_paired) == ("new" if is_new else "old", False)
    assert found.reason.startswith(f"concrete_specs.{KEY}.arch: expected")
    assert isinstance(other, Document)


def test_a_long_chain_of_nodes_takes_time_in_proportion() -> None:
    """No step looks at all nodes for each: ten times as many take about ten times as long."""

    def steps(number: int) -> int:
        nodes = {
            digest(position): {
                "name": f"p{position}",
                "version": "1",
                "dependencies": [{"name": "next", "hash": digest(position + 1)}],
            }
            for position in range(number)
        }
        document = file("spack.lock", {"concrete_specs": nodes})
        return work(lambda: read(document))

    assert steps(4_000) < 20 * steps(400)  # a square would be a hundred times


_TEXT = to_bytes(lock([Item("zlib", hash=KEY), Item("cmake", hash="b" * 32)]))


@given(
    start=st.integers(0, len(_TEXT)),
    length=st.integers(0, 40),
    put=st.sampled_from([b"", b"{", b"]", b'"', b"null", b"\xff", b"-1e9", b"\\u0000", b"[[[["]),
)
def test_damage_anywhere_is_read_or_named_and_never_a_crash(
    start: int, length: int, put: bytes
) -> None:
    damaged = _TEXT[:start] + put + _TEXT[start + length :]
    for path in ("spack.lock", "m/build_cache/index.json"):
        reader = DOCUMENTS.reader(path, Limits())
        with contextlib.suppress(FormatError):
            whole = reader(file(path, _TEXT))
            found = reader(file(path, damaged))
            if found and whole:
                for one, other in ((found, whole), (whole, found)):
                    with contextlib.suppress(FormatError):
                        pair_documents(other, one, "spack.lock")
                assert [(item.tag, item.name) for item in found.counts] == [
                    (item.tag, item.name) for item in found.packages
                ]
