"""Pages of the binary cache site: what they say in any form, and what is wrong with a bad one."""

import gc
import itertools
import json
import random
import re
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff import SnapdiffError
from snapdiff.catalog.reading import pair_documents
from snapdiff.formats.document import Document, File
from snapdiff.formats.site_page import SitePageReader
from snapdiff.model.packages import Package, PackageCounts, count_by_stacks
from snapdiff.model.specs import Build
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import (
    PageStyle,
    compact_page,
    entries_of,
    hash_of,
    json_of,
    meta_of,
    page_around,
    pages_of,
    run_cli,
    run_json,
    shuffled_page,
    spec,
    usual_page,
    write_files,
    yaml_page,
)
from tests.support.oracle import Record, counting_stacks

PATH = "_cache/develop/zlib/specs.md"


def read_document(page: str | bytes, path: str = PATH) -> Document:
    content = page if isinstance(page, bytes) else page.encode("utf-8")
    document = SitePageReader().read(File(path, content))
    assert document is not None
    return document


def read(page: str | bytes, path: str = PATH) -> Package:
    [package] = read_document(page, path).packages
    return package


def said(builds: Mapping[str, Build]) -> dict[str, object]:
    """All that a page says of its specs, free of order."""
    specs: dict[str, object] = {}
    for spec_hash, build in builds.items():
        built = build.spec(spec_hash)
        machine = (built.os, built.platform, built.target)
        variants = frozenset(built.variants)
        specs[built.hash] = (built.version, built.compiler, machine, variants, build.stacks)
    return specs


def meant(records: Sequence[Record]) -> dict[str, object]:
    """The same, from the records that the page was made of."""
    return {
        item["hash"]: (
            item["versions"][0],
            item["compiler"],
            (item["os"], item["platform"], item["target"]),
            frozenset(item["variants"]),
            counting_stacks(item),
        )
        for item in records
    }


def indented_page(records: Sequence[Record]) -> str:
    """The page with its JSON over many lines, which is YAML and no longer one line a key."""
    details = json.dumps(entries_of(records), indent=2).replace("\n", "\n  ")
    return page_around(details, title=records[0]["package"], tag=records[0]["tag"])


def escaped(literal: str) -> str:
    """A JSON string with some of its characters spelled as escapes."""
    return re.sub(r"(\\.)|[e}{-]", lambda found: found[1] or f"\\u{ord(found[0]):04x}", literal)


def escaped_page(records: Sequence[Record]) -> str:
    """The page with every letter e, hyphen and brace in its specs spelled as a JSON escape."""
    text = json.dumps(entries_of(records), ensure_ascii=False)
    details = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: escaped(found[0]), text)
    return page_around(details, title=records[0]["package"], tag=records[0]["tag"])


def crlf_page(records: Sequence[Record]) -> str:
    """The page with the line ends of Windows."""
    return usual_page(records).replace("\n", "\r\n") + "\r\n"


def page_with_bom(records: Sequence[Record]) -> str:
    """The page behind a byte order mark."""
    return "\ufeff" + usual_page(records)


def page_with_body(records: Sequence[Record]) -> str:
    """The page with text after its front matter, which holds another `---`."""
    return usual_page(records) + "\n\nspec_details: nothing\n---\nmore\n"


def page_with_dots(records: Sequence[Record]) -> str:
    """The page whose front matter ends in three dots."""
    return usual_page(records).removesuffix("---") + "...\n"


STYLES: list[PageStyle] = [
    usual_page,
    compact_page,
    yaml_page,
    indented_page,
    escaped_page,
    crlf_page,
    page_with_bom,
    page_with_body,
    page_with_dots,
    shuffled_page(random.Random(7)),  # noqa: S311 - the same order every time
]

TRICKY = [
    ("one record", [spec("b")]),
    ("two records alike", [spec("b"), spec("c")]),
    ("a brace and a comma inside a variant", [spec("b", variants='x=}, {"hash":'), spec("c")]),
    ("a separator inside a version", [spec("b", "1}, {2"), spec("c", "1}, {2")]),
    ("quotes and backslashes", [spec("b", variants=r'cflags="-O2\" x=\\ y=\u002d')]),
    ("text that looks like a hash key", [spec("b", '"hash": "' + hash_of("c") + '"'), spec("d")]),
    ("letters beyond ASCII", [spec("b", "1.2-é☃", stacks="später"), spec("c", "\x7f\x85\u2028")]),
    ("words that YAML reads as no strings", [spec("b", "1.10", os="no", compiler="null")]),
    (
        "numbers and dates as versions",
        [spec("b", "2025-03-23"), spec("c", "1e3"), spec("d", "0x1")],
    ),
    ("no variant and no stack", [spec("b", variants="", stacks="")]),
    (
        "root alone, and root beside others",
        [spec("b", stacks="root"), spec("c", stacks="root hep")],
    ),
    ("a key that is nobody's", [spec("b") | {"tarball": "https://x/}, {"}, spec("c")]),
    ("a key that ends like the hash's", [spec("b") | {'x"hash': hash_of("d")}, spec("c")]),
    ("three dashes inside", [spec("b", variants="x=---"), spec("c", "---")]),
]


@pytest.mark.parametrize(
    "records", [records for _, records in TRICKY], ids=[name for name, _ in TRICKY]
)
def test_a_page_says_the_same_in_every_form(records: list[Record]) -> None:
    for style in STYLES:
        package = read(style(records))
        assert (package.tag, package.name) == ("develop", "zlib"), style
        assert said(package.specs) == meant(records), style


@pytest.mark.slow
@given(catalogs())
def test_the_usual_form_and_yaml_give_the_same_specs(both: Catalogs) -> None:
    for records in (side for side in both if side):
        one_page = [item | {"tag": "develop", "package": "zlib"} for item in records]
        assert said(read(usual_page(one_page)).specs) == meant(one_page)
        assert said(read(yaml_page(one_page)).specs) == meant(one_page)


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)


@pytest.mark.slow
@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=3), st.integers(0, 2))
def test_any_text_in_a_spec_is_read_as_it_is(
    version: str, compiler: str, variants: list[str], like: int
) -> None:
    first = spec("b") | {"versions": [version], "compiler": compiler, "variants": variants}
    records = [first, *(first | {"hash": hash_of("cde"[number])} for number in range(like))]
    assert said(read(usual_page(records)).specs) == meant(records)
    assert said(read(compact_page(records)).specs) == meant(records)


@pytest.mark.parametrize("details", ["[]", "[ ]", "\n  []", "[] # none"])
def test_an_empty_list_is_a_page_without_specs(details: str) -> None:
    assert said(read(page_around(details)).specs) == {}


@pytest.mark.parametrize(
    "details",
    [
        '[{{"hash":"{}",{}}},{{"hash":"{}",{}}}]',
        '[ {{"hash" : "{}" , {} }} , {{ "hash": "{}", {}}} ]',
        '[{{"hash": "{}", {}}},  {{"hash": "{}", {}}}]',
        '[{{{1}, "hash": "{0}"}}, {{{3}, "hash": "{2}"}}]',
        '[\t{{"\\u0068ash": "{}", {}}}, {{"hash": "{}", {}}}]',
    ],
    ids=[
        "compact",
        "blanks",
        "two blanks between",
        "hash last",
        "escaped key",
    ],
)
def test_white_space_and_the_order_of_keys_say_nothing(details: str) -> None:
    records = [spec("b"), spec("c")]
    rests = [
        json.dumps({key: value for key, value in entry.items() if key != "hash"})[1:-1]
        for entry in entries_of(records)
    ]
    text = details.format(hash_of("b"), rests[0], hash_of("c"), rests[1])
    assert said(read(page_around(text)).specs) == meant(records)


@pytest.mark.parametrize(("begin", "end"), [("xx", "}]"), ("[{", "}x"), ("{{", "}]"), ("[{", "}}")])
def test_what_is_not_quite_a_list_is_none(begin: str, end: str) -> None:
    record = json.dumps(entries_of([spec("b")]))[2:-2]
    assert said(read(page_around(f"[{{{record}}}]")).specs) == meant([spec("b")])
    with pytest.raises(SnapdiffError):
        read(page_around(begin + record + end))


def test_a_record_given_twice_counts_once_whatever_its_order() -> None:
    first = spec("b", variants="+mpi ~cuda", stacks="e4s hep")
    again = spec("b", variants="~cuda +mpi", stacks="hep e4s")
    assert said(read(usual_page([first, again, first])).specs) == meant([first])


@pytest.mark.parametrize("style", [usual_page, yaml_page])
def test_a_record_given_in_two_spellings_counts_once_and_is_written_as_one_of_them(
    style: PageStyle,
) -> None:
    today = spec("b", "1.1", compiler="llvm@=16.0.6", variants="languages=c,c++ ~cuda")
    before = spec("b", "1.01", compiler="clang@16.0.6", variants="languages:='c,c++' ~cuda")
    every = [today, before, today]
    found = [read(style(some)).specs for some in (every, every[1:], [before, today, before])]
    assert [said(specs) for specs in found] == [meant([before])] * 3
    for other in (before | {"compiler": "gcc@16.0.6"}, before | {"stacks": ["hep"]}):
        with pytest.raises(SnapdiffError, match="comes twice, with different content"):
            read(style([today, other]))


@pytest.mark.slow
@given(catalogs(), st.randoms(use_true_random=True))
def test_pages_that_differ_in_order_alone_give_an_empty_diff(
    both: Catalogs, chance: random.Random
) -> None:
    old, _ = both
    report = json.loads(json_of(pages_of(old), pages_of(old, shuffled_page(chance))))
    assert report["tags"] == []


def test_records_that_differ_in_their_hash_alone_share_what_they_say() -> None:
    for page in (usual_page, compact_page):
        package = read(page([spec("b"), spec("c"), spec("d", "1.1"), spec("e")]))
        assert len(set(package.specs.values())) == (2 if page is usual_page else 4)


# --- Two versions of a page ---


FURTHER = "_cache/develop/zlib.md"

B, C, D, E = (spec(letter, stacks=f"e4s {letter}") for letter in "bcde")


@pytest.mark.parametrize(
    ("old", "new", "shared"),
    [
        ([B, C, D], [C, E], "c"),
        ([B, C], [B, C, D], "bc"),
        ([B], [C], ""),
        ([B, C], [C | {"compiler": "x"}, B], "bc"),
    ],
)
def test_what_two_versions_of_a_page_have_in_common_is_one_build(
    old: list[Record], new: list[Record], shared: str
) -> None:
    reader = SitePageReader()
    before, after = (
        reader.read(File(PATH, usual_page(records).encode())) for records in (old, new)
    )
    assert before
    assert after
    assert (before.warning, after.warning) == (None, None)
    found = pair_documents(before, after, PATH)
    [pair] = found.pairs
    assert (pair.tags, pair.name) == (("develop", "develop"), "zlib")
    assert sum(pair.common.values()) == len(shared)
    for side, records, document in ((pair.old, old, before), (pair.new, new, after)):
        by_stacks = count_by_stacks([*Counter(side.values()).items(), *pair.common.items()])
        assert [PackageCounts("develop", "zlib", by_stacks)] == document.counts
        differing = [item for item in records if item["hash"] not in map(hash_of, shared)]
        assert said(side) == meant(differing)
    [one], [other] = before.packages, after.packages
    for letter in shared[:1]:
        is_the_same = one.specs[hash_of(letter)] is other.specs[hash_of(letter)]
        assert is_the_same


def test_of_a_version_only_what_the_one_before_did_not_have_is_read_in_any_order() -> None:
    lists = [B, C, D], [B, C | {"compiler": "x"}, E], [C, E]
    versions = [list(order) for records in lists for order in itertools.permutations(records)]
    for old, new in itertools.product(versions, repeat=2):
        reader = SitePageReader()
        before, after = (
            reader.read(File(PATH, usual_page(records).encode())) for records in (old, new)
        )
        assert before
        assert after
        specs, known = after.packages[0].specs, before.packages[0].specs
        assert said(specs) == meant(new)
        for same in (item["hash"] for item in new if item in old):
            assert specs[same] is known[same]


def test_a_pair_holds_of_what_both_have_one_spec_a_build_and_no_page() -> None:
    like = [spec("bcdefghijk"[place]) for place in range(10)]
    reader = SitePageReader()
    sides = [
        reader.read(File(PATH, usual_page(records).encode()))
        for records in ([*like, spec("m", "1.1")], [*like, spec("n", "1.2")])
    ]
    before, after = sides
    assert before
    assert after
    pages = [weakref.ref(before), weakref.ref(after)]
    [pair] = pair_documents(before, after, PATH).pairs
    del before, after, sides
    gc.collect()
    assert [page() for page in pages] == [None, None]
    assert [build.version_text for _, build in pair.kept()] == ["1.0"]
    assert sum(pair.common.values()) == 10


def test_pages_share_the_words_that_they_have_in_common() -> None:
    first, second = (read(usual_page([spec("b", package=name)])) for name in ("zlib", "hdf5"))
    [one], [other] = first.specs.values(), second.specs.values()
    assert one is not other
    for mine, theirs in (
        (one.compiler, other.compiler),
        (one.os, other.os),
        (one.target, other.target),
        *zip(one.variants, other.variants, strict=True),
    ):
        assert mine is theirs


# --- Title and tag ---


@pytest.mark.parametrize(
    ("path", "head", "tag", "name"),
    [
        ("a/b/specs.md", 'title: "zlib"\ncategories: [package, v1.0]\n', "v1.0", "zlib"),
        ("a/b/specs.md", 'title: "zlib"\n', "a", "zlib"),
        ("a/b/specs.md", "categories: [package, v1.0]\n", "v1.0", "b"),
        ("a/b/specs.md", "categories: [package]\ntitle: ''\n", "a", "b"),
        ("a/b/specs.md", "", "a", "b"),
        ("a/b.md", "layout: cache\n", "a", "b"),
        ("x/a/b.md", "layout: cache\n", "a", "b"),
        ("a/b/specs.md", "title: Xyce\ncategories: [package, v1]\n", "v1", "Xyce"),
        ("a/b/specs.md", "title: LaTeX \r\ncategories: [package, v1]\n", "v1", "LaTeX"),
        ("a/b/specs.md", "title: \u00a0z\ncategories: [package, v1]\n", "v1", "\u00a0z"),
        ("a/b/specs.md", "categories: [package, v1]\ntitle:\n  zlib\n", "v1", "zlib"),
        ("a/b/specs.md", "spec_files: []\n", "a", "b"),
        ("a/b/specs.md", "---x: 1\n---y: 1\n...z: 1\n", "a", "b"),
        ("x/a/b/specs.md", "title: 'it''s'\ncategories:\n- package\n- 'v 1'\n", "v 1", "it's"),
    ],
)
def test_title_and_tag_come_from_the_front_matter_then_from_the_path(
    path: str, head: str, tag: str, name: str
) -> None:
    details = json.dumps(entries_of([spec("b")]))
    for first, last in (
        ("---", "---"),
        ("--- \t\r", "... \t\r"),
        ("---", "...\n---"),
        ("---", "---\n---"),
    ):
        package = read(f"{first}\n{head}spec_details: {details}\n{last}\n", path)
        assert (package.tag, package.name) == (tag, name)
        package = read(f"{first}\nspec_details: {details}\n{head}{last}\n", path)
        assert (package.tag, package.name) == (tag, name)


@pytest.mark.parametrize(
    "text",
    [
        usual_page([spec("b")]).replace("layout: cache\n", ""),
        "# Readme\n",
        "---\nlayout: default\n---\n",
        "---\ntitle: Home\n---\nlayout: cache\n",
        "---\n---\n# Home\n",
        "---\nWords between two rules\n---\n",
        "---\n- layout\n- cache\n---\n",
        "--- # Home\n",
        "---\nlayout: [cache]\n---\n",
        "---\nx: 'a\n\n  layout: cache'\n---\n",
        "---\nlayout: default # no page\nno end\n",
        "---\nlayout: 'default'\r\nbad: [\r\n---\r\n",
        "---\nlayout: default\nx: \xff\n---\n",
        "---\nlayout: default\n---\n\xff\n",
        "---\ntitle: Home\n---\n\xff\n",
        "",
    ],
)
def test_another_markdown_file_is_no_page(text: str) -> None:
    # Latin-1 where there is a letter beyond ASCII: not UTF-8.
    file = File("docs/readme.md", text.encode("latin-1"))
    assert SitePageReader().read(file) is None


@pytest.mark.parametrize("text", ["# Readme\n", "---\nlayout: default\n---\n", ""])
def test_what_is_a_page_on_the_other_side_is_no_other_file(text: str) -> None:
    with pytest.raises(SnapdiffError):
        SitePageReader().read(File("docs/readme.md", text.encode(), is_document=True))


LAYOUTS = [
    "layout: cache",
    "layout: cache # of the catalog",
    'layout: "cache"',
    "layout: 'cache'",
    "layout: !!str cache",
    "layout: &x cache",
    "layout : cache",
    '"layout": cache',
    "'layout': cache",
    "? layout\n: cache",
    "layout: >-\n  cache",
    "layout:\n  cache",
    'layout: "ca\\x63he"',
    "x: &x cache\nlayout: *x",
    "<<: {layout: default}\nlayout: cache",
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_says_the_same_in_every_form(layout: str) -> None:
    for style in STYLES:
        page = style([B, C]).replace("layout: cache", layout)
        assert said(read(page, FURTHER).specs) == meant([B, C]), style


UNREADABLE = [
    (b"---", "line 1: front matter begins with '---' and never ends"),
    (b"\xef\xbb\xbf---\n", "line 1: front matter begins with '---' and never ends"),
    (b"---\ntitle: zlib\n", "line 1: front matter begins with '---' and never ends"),
    (b"---\nlayout: cache\n", "line 1: front matter begins with '---' and never ends"),
    (b"---\nlayout: ca", "line 1: front matter begins with '---' and never ends"),
    (b"---\nx: [\nlayout: cache\n---\n", "line 4, column 1: front matter is not YAML: "),
    (b"---\nx: [\n---\nlayout: default\n", "line 3, column 1: front matter is not YAML: "),
    (b"---\nlayout: cache\nx: \xe9\n---\n", "line 3: not UTF-8 (byte 0xe9)"),
    (b"---\nlayout: cache\n---\n\xe9\n", "line 4: not UTF-8 (byte 0xe9)"),
    (b"---\nx: \xe9\n---\n", "line 2: not UTF-8 (byte 0xe9)"),
    (b"---\nlayout: cache\n---\n", "spec_details: missing"),
    (b"---\nx: " + b" " * (3 << 20) + b"\n---\n", "front matter not in the usual form has "),
]


@pytest.mark.parametrize(("content", "reason"), UNREADABLE, ids=[row[1] for row in UNREADABLE])
def test_front_matter_that_could_be_a_page_and_cannot_be_read_is_a_bad_page(
    content: bytes, reason: str
) -> None:
    with pytest.raises(SnapdiffError, match="^" + re.escape(reason)):
        SitePageReader().read(File(FURTHER, content))


@given(st.integers(0, 300))
def test_a_page_cut_off_anywhere_is_a_bad_page(length: int) -> None:
    page = usual_page([B]).encode()
    length = min(length, len(page) - 4)  # the last line of its front matter is gone
    reader = SitePageReader()
    if length < 3:
        assert reader.read(File(FURTHER, page[:length])) is None
    else:
        with pytest.raises(SnapdiffError, match="never ends"):
            reader.read(File(FURTHER, page[:length]))


@pytest.mark.parametrize("first", ["", "# a comment\n"])
@pytest.mark.parametrize("end", ["---", "...", "--- \t\r", "... "])
@pytest.mark.parametrize("other", ["---", "..."])
def test_front_matter_ends_at_the_first_mark(first: str, end: str, other: str) -> None:
    page = usual_page([B, C]).replace("---\n", f"---\n{first}", 1).removesuffix("---")
    body = f"Words\n\n{other}\n\nmore: [words\n"
    assert said(read(f"{page}{end}\n{body}").specs) == meant([B, C])


@given(st.text(st.sampled_from("a \u0085\u2028\u2029\ue000\ue001é"), min_size=1))
def test_line_ends_of_unicode_in_a_string_are_characters_to_every_reader(text: str) -> None:
    records = [spec("b") | {"versions": ["1"], "compiler": text, "variants": [text]}]
    page = page_around(json.dumps(entries_of(records), ensure_ascii=False))
    assert said(read(page).specs) == meant(records)
    assert said(read(page.replace("---\n", "---\n# YAML\n", 1)).specs) == meant(records)


def test_a_number_as_a_key_is_text_as_in_json() -> None:
    meta = "{num_specs_by_stack: {1: 2, 0x10: 3}}"
    page = page_around(json.dumps(entries_of([spec("b", stacks="1 0x10")])), meta=meta)
    assert read_document(page).warning == (
        "meta.num_specs_by_stack has 3 for 0x10, but the page lists 1"
    )


# --- What a page says of itself ---


def told_warnings(tmp_path: Path, meta: dict[str, object]) -> str:
    records = [spec("b", stacks="e4s root"), spec("c", stacks="e4s hep root")]
    details = json.dumps(entries_of(records))
    write_files(tmp_path / "old", pages_of(records[:1]))
    write_files(tmp_path / "new", {PATH: page_around(details, meta=json.dumps(meta))})
    result = run_cli("-C", tmp_path, "old", "new", "-f", "json")
    assert result.status == 0
    return result.err


@pytest.mark.parametrize(
    ("meta", "warning"),
    [
        ({"num_specs": 3}, "meta.num_specs is 3, but the page lists 2 specs"),
        (
            {"num_specs_by_stack": {"e4s": 1, "hep": 1}},
            "meta.num_specs_by_stack has 1 for e4s, but the page lists 2",
        ),
        (
            {"num_specs_by_stack": {"e4s": 2}},
            "meta.num_specs_by_stack has 0 for hep, but the page lists 1",
        ),
        (
            {"num_specs_by_stack": {"e4s": 2, "hep": 1, "ml": 4}},
            "meta.num_specs_by_stack has 4 for ml, but the page lists 0",
        ),
        (
            {"num_specs_by_stack": {"e4s": 2, "hep": 1, "ml": 1}},
            "meta.num_specs_by_stack has 1 for ml, but the page lists 0",
        ),
    ],
)
def test_a_page_that_contradicts_itself_is_warned_of(
    meta: dict[str, object], warning: str, tmp_path: Path
) -> None:
    assert told_warnings(tmp_path, meta) == f"snapdiff: warning: {PATH}: {warning}\n"


def test_one_spec_is_in_the_singular() -> None:
    page = page_around(json.dumps(entries_of([spec("b")])), meta='{"num_specs": 7}')
    assert read_document(page).warning == "meta.num_specs is 7, but the page lists 1 spec"


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"num_specs": 2},
        {"num_specs_by_stack": {"e4s": 2, "hep": 1, "ml": 0}},
        {"num_specs_by_stack": {"e4s": 2, "hep": 1, "root": 2}},
        {"num_specs": 2, "num_specs_by_stack": {"e4s": 2, "hep": 1}, "further": [None]},
    ],
)
def test_a_page_that_agrees_with_itself_is_not(meta: dict[str, object], tmp_path: Path) -> None:
    assert told_warnings(tmp_path, meta) == ""


def test_the_warning_is_not_shown_with_quiet(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("b")]))
    write_files(tmp_path / "new", {PATH: page_around("[]", meta='{"num_specs": 1}')})
    assert run_json("-C", tmp_path, "--quiet", "old", "new")["summary"]["removed"] == 1


def test_meta_that_a_real_page_has_is_right() -> None:
    records = [spec("b"), spec("c", stacks="root"), spec("d", stacks="")]
    assert meta_of(records)["num_specs_by_stack"] == {"e4s": 1, "root": 2}
    assert read_document(usual_page(records)).warning is None
