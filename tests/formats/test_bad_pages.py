"""Pages that cannot be read: each is named with the place and the reason, on one line."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff import SnapdiffError
from snapdiff.formats.document import File
from snapdiff.formats.site_page import SitePageReader
from tests.support.helpers import (
    entries_of,
    hash_of,
    page_around,
    pages_of,
    run_cli,
    spec,
    usual_page,
    write_files,
)

PATH = "_cache/develop/zlib/specs.md"


def with_entry(**fields: object) -> str:
    """A page whose fourth record has other fields; None takes one out."""
    records = [spec("b"), spec("c"), spec("d"), spec("e")]
    entries = entries_of(records)
    entries[3] = {key: value for key, value in (entries[3] | fields).items() if value is not None}
    return page_around(json.dumps(entries))


LONG = "b" * 33
ODD = [{'x"hash': LONG[1:], **entries_of([spec("b")])[0], "hash": ""}]
NOT_A_HASH = "is not a hash (32 characters a-z and 2-7)"
NO_FRONT_MATTER = "line 1: no front matter; a page begins with a line '---'"

TWICE = "is there twice; resolve the merge that left both"
IN_A_SPEC = usual_page([spec("b")]).replace('"os": ', '"os": "x", "os": ')

BAD_PAGES = [
    (
        "a list that is there twice",
        page_around("[]").replace("spec_details: []", "spec_details: []\nspec_details: []"),
        f"line 7, column 1: spec_details: {TWICE}",
    ),
    (
        "a title that is there twice",
        usual_page([spec("b")]).replace("title:", "title: cmake\ntitle:"),
        f"line 3, column 1: title: {TWICE}",
    ),
    ("a key of a spec that is there twice", IN_A_SPEC, f"line 6, column 98: os: {TWICE}"),
    (
        "a key of a spec that has a blank before its colon and is there twice",
        IN_A_SPEC.replace('"os": "x"', '"os" : "x"'),
        f"line 6, column 99: os: {TWICE}",
    ),
    (
        "a key that is there twice, once as a number",
        "---\nx: {1: a, '1': b}\nspec_details: []\n---\n",
        f"line 2, column 11: 1: {TWICE}",
    ),
    ("empty file", "", NO_FRONT_MATTER),
    ("no front matter", "# zlib\n", NO_FRONT_MATTER),
    (
        "front matter later",
        "\n---\nspec_details: []\n---\n",
        NO_FRONT_MATTER,
    ),
    (
        "front matter without end",
        "---\nspec_details: []\n",
        "line 1: front matter begins with '---' and never ends",
    ),
    (
        "front matter cut off",
        "---",
        "line 1: front matter begins with '---' and never ends",
    ),
    (
        "front matter cut off after a value",
        page_around("[]").removesuffix("\n---") + " ",
        "line 1: front matter begins with '---' and never ends",
    ),
    ("a first line with more in it", "---X\nspec_details: []\n---\n", NO_FRONT_MATTER),
    ("a first line with a form feed", "---\f\nspec_details: []\n---\n", NO_FRONT_MATTER),
    ("nothing between", "---\n---\n", "line 2: front matter holds no keys"),
    ("a list", "---\n- spec_details\n---\n", "line 2: front matter holds no keys"),
    (
        "broken YAML",
        "---\ntitle: zlib\nspec_details: []\n  x: y: z\n---\n",
        "line 4, column 3: front matter is not YAML: ",
    ),
    (
        "broken YAML behind a key that is nobody's",
        page_around("[]").replace("meta: {}", "meta: {}\nx: ["),
        "line 8, column 1: front matter is not YAML: ",
    ),
    (
        "broken YAML for a layout",
        page_around("[]").replace("layout: ", "layout: ["),
        "line 4, column 11: front matter is not YAML: ",
    ),
    (
        "YAML with a tab",
        "---\ntitle: zlib\n\tspec_details: []\n---\n",
        "line 3, column 1: front matter is not YAML: ",
    ),
    (
        "unknown alias",
        "---\nspec_details: *all\n---\n",
        "line 2, column 15: front matter is not YAML: found undefined alias",
    ),
    (
        "a Python object",
        "---\nspec_details: !!python/object/apply:os.getcwd []\n---\n",
        "line 2, column 15: front matter is not YAML: could not determine a constructor",
    ),
    (
        "broken JSON, cut off",
        page_around('[{"hash": "' + hash_of("b")),
        "line 7, column 1: front matter is not YAML: ",
    ),
    (
        "broken JSON, no comma",
        page_around('[{"hash": "b" "os": "x"}]'),
        "line 6, column 29: front matter is not YAML: ",
    ),
    (
        "not UTF-8",
        b"---\ntitle: zlib\nspec_details: [\xe9]\n---\n",
        "line 3: not UTF-8 (byte 0xe9)",
    ),
    ("not UTF-8 behind an empty line", b"\n\xe9\n", "line 2: not UTF-8 (byte 0xe9)"),
    (
        "not UTF-8 after the front matter",
        usual_page([spec("b")]).encode() + b"\n\xe9\n",
        "line 8: not UTF-8 (byte 0xe9)",
    ),
    (
        "a control character",
        "---\ntitle: z\x01lib\nspec_details: []\n---\n",
        "line 2: front matter is not YAML: the character U+0001 is not allowed in it",
    ),
    (
        "a date that is none",
        "---\ndate: 2025-13-45\nspec_details: []\n---\n",
        "front matter is not YAML: month must be in 1..12",
    ),
    (
        "a tag that does not fit",
        "---\nx: !!timestamp x\nspec_details: []\n---\n",
        "front matter is not YAML: a value is not what its tag says",
    ),
    ("no specs", "---\ntitle: zlib\n---\n", "spec_details: missing"),
    (
        "an old page with a file that has none of its names",
        "---\ntitle: zlib\nspec_files:\n- a.spec.json\n---\n",
        "spec_files[0]: 'a.spec.json' is no spec-N.json",
    ),
    ("specs that are no list", page_around("{}"), "spec_details: expected array, got object"),
    ("specs that are null", page_around("null"), "spec_details: expected array, got null"),
    ("a record that is none", page_around("[1]"), "spec_details[0]: expected object, got int"),
    (
        "a record without a hash between two",
        usual_page([spec("b"), spec("c"), spec("d")]).replace(f'"hash": "{hash_of("c")}", ', ""),
        "spec_details[1].hash: missing",
    ),
    ("a field is missing", with_entry(hash=None), "spec_details[3].hash: missing"),
    ("no compiler", with_entry(compiler=None), "spec_details[3].compiler: missing"),
    ("no stacks", with_entry(stacks=None), "spec_details[3].stacks: missing"),
    ("a number for a hash", with_entry(hash=7), "spec_details[3].hash: expected str, got int"),
    (
        "a number for a target",
        with_entry(target=7),
        "spec_details[3].target: expected str, got int",
    ),
    (
        "text for a list",
        with_entry(variants="+mpi"),
        "spec_details[3].variants: expected array, got str",
    ),
    (
        "a number among variants",
        with_entry(variants=["+mpi", 5]),
        "spec_details[3].variants[1]: expected str, got int",
    ),
    ("a hash too long", with_entry(hash=LONG), f"spec_details[3].hash: '{LONG}' {NOT_A_HASH}"),
    (
        "a hash too short",
        with_entry(hash=LONG[2:]),
        f"spec_details[3].hash: '{LONG[2:]}' {NOT_A_HASH}",
    ),
    (
        "a hash with other letters",
        with_entry(hash=f"1{LONG[2:]}"),
        f"spec_details[3].hash: '1{LONG[2:]}' {NOT_A_HASH}",
    ),
    (
        "a hash in capitals",
        with_entry(hash=LONG[1:].upper()),
        f"spec_details[3].hash: '{LONG[1:].upper()}' {NOT_A_HASH}",
    ),
    (
        "a hash and a line break",
        with_entry(hash=f"{LONG[1:]}\n"),
        f"spec_details[3].hash: '{LONG[1:]}\\n' {NOT_A_HASH}",
    ),
    (
        "a very long hash",
        with_entry(hash="b" * 99),
        f"spec_details[3].hash: '{'b' * 64}' {NOT_A_HASH}",
    ),
    (
        "an empty hash behind a key that ends like the hash's",
        page_around(json.dumps(ODD).replace('"hash": ""', '"h\\u0061sh": ""')),
        f"spec_details[0].hash: '' {NOT_A_HASH}",
    ),
    (
        "a hash behind another",
        usual_page([spec("b")]).replace('"size"', '"hash": "", "size"'),
        f"line 6, column 129: hash: {TWICE}",
    ),
    (
        "a list behind another",
        page_around(json.dumps(entries_of([spec("b")])).replace("}]", ', "stacks": 7}]')),
        f"line 6, column 229: stacks: {TWICE}",
    ),
    ("an empty hash", with_entry(hash=""), f"spec_details[3].hash: '' {NOT_A_HASH}"),
    (
        "no version",
        with_entry(versions=[]),
        "spec_details[3].versions: expected array of length >= 1",
    ),
    (
        "two versions",
        with_entry(versions=["1", "2"]),
        "spec_details[3].versions: expected array of length <= 1",
    ),
    (
        "one hash for two specs",
        with_entry(hash=hash_of("c"), versions=["1.1"]),
        f"spec_details[3].hash: {hash_of('c')} comes twice, with different content",
    ),
    (
        "one hash in two stacks",
        with_entry(hash=hash_of("c"), stacks=["hep"]),
        f"spec_details[3].hash: {hash_of('c')} comes twice, with different content",
    ),
    (
        "a number for a title",
        "---\ntitle: 7\nspec_details: []\n---\n",
        "title: expected str, got int",
    ),
    (
        "a word that is no string for a title",
        page_around("[]").replace('"zlib"', "no"),
        "title: expected str, got bool",
    ),
    (
        "a blank beyond ASCII before a list",
        "---\ncategories: \u00a0[package, v1]\nspec_details: []\n---\n",
        "categories: expected array, got str",
    ),
    (
        "a letter before a list",
        "---\ncategories: X[package, v1]\nspec_details: []\n---\n",
        "categories: expected array, got str",
    ),
    (
        "a number for a tag",
        "---\ncategories: [package, 7]\nspec_details: []\n---\n",
        "categories[1]: expected str, got int",
    ),
    (
        "meta that is no object",
        page_around("[]", meta="[]"),
        "meta: expected object, got array",
    ),
    (
        "text for a number of specs",
        page_around("[]", meta='{"num_specs_by_stack": {"e4s": "x"}}'),
        "meta.num_specs_by_stack[]: expected int, got str",
    ),
]


@pytest.mark.parametrize(
    ("page", "reason"), [row[1:] for row in BAD_PAGES], ids=[row[0] for row in BAD_PAGES]
)
def test_a_bad_page_is_named_with_place_and_reason(
    page: str | bytes, reason: str, tmp_path: Path
) -> None:
    write_files(tmp_path / "old", pages_of([spec("b")]))
    write_files(tmp_path / "new", {PATH: page})
    status, out, err = run_cli("-C", tmp_path, "old", "new")
    assert (status, out) == (2, "")
    way_out = "correct it, or leave it out with --skip-bad-pages"
    if reason.endswith((": ", "alias", "constructor")):
        # The rest of the sentence is PyYAML's.
        assert err.startswith(f"snapdiff: error: {PATH} (new): {reason}")
        assert err.endswith(f"; {way_out}\n")
        assert err.count("\n") == 1
    else:
        assert err == f"snapdiff: error: {PATH} (new): {reason}; {way_out}\n"


@pytest.mark.parametrize("path", ["specs.md", "zlib.md"])
def test_a_page_without_any_name_of_a_tag_is_bad(path: str) -> None:
    page = b"---\ntitle: zlib\nlayout: cache\nspec_details: []\n---\n"
    reason = "categories: no tag (the second entry), and no folder is named for one"
    with pytest.raises(SnapdiffError, match=f"^{re.escape(reason)}$"):
        SitePageReader().read(File(path, page))


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_are_a_page_or_an_error(noise: bytes, framed: bool) -> None:
    content = b"---\nspec_details: " + noise + b"\n---\n" if framed else noise
    lines = [""]
    try:
        SitePageReader().read(File(PATH, content))
    except SnapdiffError as error:
        lines = error.lines()
    assert len(lines) == 1
    assert "\n" not in lines[0]
