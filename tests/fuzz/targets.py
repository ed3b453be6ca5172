"""The doors: for each, what is knocked with and what has to come of it."""

import contextlib
import functools
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from snapdiff import SnapdiffError
from snapdiff.formats.document import Document, File
from snapdiff.formats.records import RecordReader
from snapdiff.formats.site_page import SitePageReader, front_matter_text, usual_fields
from snapdiff.formats.yaml_reading import read_yaml
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.reports.templates import user_template
from snapdiff.sources.git import GitSource
from snapdiff.sources.revisions import SourceOpener
from snapdiff.spack import parse_version
from tests.fuzz.document_targets import DOCUMENT_CHECKS, DOCUMENT_WORDS
from tests.fuzz.server_targets import SERVER_CHECKS, SERVER_WORDS
from tests.fuzz.settings_target import SETTINGS_WORDS, settings_file
from tests.support import oracle
from tests.support.helpers import json_of, pages_of, run_cli, spec, write_files
from tests.support.repositories import GitRepository

PATH = "_cache/develop/zlib/specs.md"

PAGE_WORDS = [
    *(b"---\n", b"...\n", b"- ", b": ", b"? ", b"[", b"]", b"{", b"}", b", ", b"\n", b"\r\n", b" "),
    *(b"&a ", b"*a", b"<<: ", b"!!str ", b"!!int ", b"!!binary ", b"!!set ", b"!!omap ", b"!x "),
    *(b"!!python/object/apply:os.system ", b"!!timestamp ", b"%YAML 1.1\n", b"| ", b"> ", b"# "),
    *(
        b"null",
        b"true",
        b"~",
        b"0x1",
        b"1:1",
        b"2025-13-45",
        b"1e999",
        b".inf",
        b".nan",
        b"=",
        b"-",
    ),
    *(b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b"\0", b"\x1b", b"\xff", b"\xef\xbb\xbf", b"\t"),
    *(b'"hash": "', b'"versions": ', b'"stacks": ', b"spec_details: ", b"title: ", b"meta: "),
    *(b"categories: ", b"layout: cache\n", b"spec_files: ", b'"num_specs": ', b"9" * 30),
]
VERSION_WORDS = [
    *(b".", b"-", b"_", b"=", b"git.", b"rc", b"alpha", b"beta", b"develop", b"main", b"\n"),
    *(b"0", b"00", b"9" * 40, b"a" * 40, b"\xc2\xb2", b"\xd9\xa1", b"RC", b"infinity", b" "),
]
REVISION_WORDS = [
    *(b"HEAD", b"main", b"first", b"~", b"^", b"@", b"{", b"}", b":", b"/", b"..", b"...", b"."),
    *(b"-", b"--", b"--all", b"--output=x", b"\n", b"\0", b"_cache", b"specs.md", b"@{-1}", b"^{}"),
    *(b"^{tree}", b"^{/x}", b":/", b":0:", b"*", b"?", b"[", b"\\", b"~1", b"~999999999999", b"^!"),
    *(b"refs/heads/", b"FETCH_HEAD", b"stash", b"@{now}", b"$HOME", b"%s", b"\xff", b"a" * 300),
]
TEMPLATE_WORDS = [
    *(b"{{ ", b" }}", b"{% ", b" %}", b"{# ", b" #}", b"for tag in tags", b"endfor", b"if "),
    *(b"endif", b"include 'x'", b"extends 'x'", b"import 'x' as y", b"block a", b"endblock"),
    *(b"set a = ", b"a", b"summary", b"tags", b"old.source", b".__class__", b"['__class__']"),
    *(b"|code", b"|link", b"|shown", b"|visible", b"|number", b"|counted", b"|tojson", b"|length"),
    *(b"|attr('x')", b"()", b"|join", b"|sort", b"|map", b"|first", b"|int", b"|format", b"none"),
    *(b"1", b"0", b"/", b"[", b"]", b"macro m()", b"endmacro", b"m()", b"raw", b"endraw"),
    *(b"loop.index", b"-", b"'", b'"', b"\xff"),
]


def page(data: bytes) -> None:
    """A page as bytes: a package, no page, or a FormatError; alone, by layout, with a twin."""
    half = data[: len(data) // 2], data[len(data) // 2 :]
    for path, content in ((PATH, data), ("a/other.md", data), (PATH, half[0]), (PATH, half[1])):
        with contextlib.suppress(SnapdiffError):
            SitePageReader().read(File(path, content))
    twin = data.replace(b"1.", b"2.")
    reader = SitePageReader()
    with contextlib.suppress(SnapdiffError):
        documents = [reader.read(File(PATH, content)) for content in (data, twin)]
        for document, content in zip(documents, (data, twin), strict=True):
            alone = _document(content)
            assert document is not None
            assert (document.claims, document.counts) == (alone.claims, alone.counts)
            assert document.packages[0].specs.keys() == alone.packages[0].specs.keys()


def _document(content: bytes) -> Document:
    document = SitePageReader().read(File(PATH, content))
    assert document is not None
    return document


def front_matter(data: bytes) -> None:
    """The text of a page: values, or a FormatError; both readers."""
    usual_fields(data)
    with contextlib.suppress(SnapdiffError):
        read_yaml(front_matter_text(data), DEFAULT_LIMITS)
    with contextlib.suppress(SnapdiffError):
        read_yaml(data.decode("utf-8", "surrogateescape"), DEFAULT_LIMITS)


def records(data: bytes) -> None:
    """The text of `spec_details`: specs, or None where another reader has to tell."""
    line = data.replace(b"\n", b" ")
    with contextlib.suppress(UnicodeDecodeError):  # a page that is not UTF-8 does not come so far
        line.decode("utf-8")
        assert isinstance(RecordReader().read(memoryview(line)), dict | None)
    page(b"---\ncategories: [package, develop]\nspec_details: " + line + b"\n---\n")


def version(data: bytes) -> None:
    """Version strings, one a line: an order, the oracle's where ASCII letters and digits."""
    texts = data.decode("utf-8", "surrogateescape").split("\n")[:6]
    parsed = [parse_version(text) for text in texts]
    for text, mine in zip(texts, parsed, strict=True):
        for other, theirs in zip(texts, parsed, strict=True):
            assert [mine < theirs, mine == theirs, mine > theirs].count(True) == 1
            if text.isascii() and other.isascii() and text.isprintable() and other.isprintable():
                order = oracle.compare_versions(text, other)
                assert (mine > theirs) - (mine < theirs) == order or not _is_plain(text + other)


def _is_plain(text: str) -> bool:
    """Whether the specification says how a version of these characters orders."""
    return all(char.isalnum() or char in "._-" for char in text)


@functools.cache
def _repository() -> GitRepository:
    folder = Path(tempfile.mkdtemp(prefix="snapdiff-fuzz-"))
    repository = GitRepository(folder)
    repository.commit(pages_of([spec("b")]))
    repository.git("tag", "first")
    repository.commit(pages_of([spec("p", "1.1")]))
    return repository


def revision(data: bytes) -> None:
    """Arguments as a user could type them, apart at blanks: two sources, or a RevisionError."""
    arguments = tuple(os.fsdecode(data).split(" ")[:3])
    repository = _repository()
    before = repository.everything()
    with contextlib.suppress(SnapdiffError):
        for source in SourceOpener(repository.folder).open_pair(arguments):
            assert source.name
            if isinstance(source, GitSource):  # a folder could be any, and a large one
                assert len(list(source.entries())) < 10
    assert repository.everything() == before


def template(data: bytes) -> None:
    """A template of the user's own: text, or a ReportError."""
    if b"*" in data or b"range" in data or any(word in data for word in (b"%9", b":9", b"lipsum")):
        return  # a template's own loops and numbers are its author's business
    with tempfile.TemporaryDirectory() as folder:
        path = write_files(Path(folder), {"own.j2": data}) / "own.j2"
        values = json.loads(_report())
        with contextlib.suppress(SnapdiffError):
            assert isinstance(user_template(path, values), str)


@functools.cache
def _report() -> str:
    return json_of(pages_of([spec("b")]), pages_of([spec("p", "1.1")]))


def command(data: bytes) -> None:
    """Two pages, apart at a form feed: a report in every format, or one line of an error."""
    old, _, new = data.partition(b"\f")
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), {f"old/{PATH}": old, f"new/{PATH}": new or old})
        for name in ("json", "markdown", "text", "csv", "html", "comment"):
            result = run_cli("-C", folder, "--skip-bad-pages", "-q", "-f", name, "old", "new")
            assert (result.status, result.err) == (0, ""), result.err
        assert isinstance(json.loads(run_cli("-C", folder, "--skip-bad-pages", *_JSON).out), dict)


_JSON = ("-q", "-f", "json", "old", "new")


class Target(NamedTuple):
    """A door, and the words that mean something to it."""

    check: Callable[[bytes], None]
    words: list[bytes]


TARGETS = {
    "page": Target(page, PAGE_WORDS),
    "front-matter": Target(front_matter, PAGE_WORDS),
    "records": Target(records, PAGE_WORDS),
    "version": Target(version, VERSION_WORDS),
    "revision": Target(revision, REVISION_WORDS),
    "template": Target(template, TEMPLATE_WORDS),
    "settings": Target(settings_file, SETTINGS_WORDS),
    "command": Target(command, [*PAGE_WORDS, *VERSION_WORDS, b"\f"]),
    **{name: Target(check, DOCUMENT_WORDS) for name, check in DOCUMENT_CHECKS.items()},
    **{name: Target(check, SERVER_WORDS) for name, check in SERVER_CHECKS.items()},
}
"""Every door by name."""
