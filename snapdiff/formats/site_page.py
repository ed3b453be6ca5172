"""A page of Spack's binary cache site: `_cache/<tag>/<package>/specs.md` (contract, section 1)."""

import re
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from snapdiff.errors import FormatError
from snapdiff.formats.front_matter import (
    explain,
    front_matter_text,
    read_yaml,
    usual_fields,
    usual_list,
    usual_scalar,
)
from snapdiff.formats.records import Record, RecordReader, read_plain
from snapdiff.model import ROOT, Package, SpecClass, count_by_stacks

PAGE_NAME = "specs.md"

_LAYOUT = re.compile(r"^layout:[ \t]*[\"']?cache[\"']?[ \t\r]*$", re.MULTILINE)
_USUAL_KEYS = frozenset(["title", "layout", "categories", "meta", "spec_details"])


class _Meta(Struct, frozen=True):
    """What the catalog's generator derived from the page's specs."""

    num_specs: int | None = None
    num_specs_by_stack: dict[str, int] | None = None


class _Head(Struct, frozen=True):
    """The front matter of a page but its specs."""

    title: str = ""
    categories: tuple[str, ...] = ()
    meta: _Meta = _Meta()


_RECORDS = msgspec.json.Decoder(list[Record])
_META = msgspec.json.Decoder(_Meta)


class SitePageReader:
    """Reads pages; two versions of a page are best read by the same reader."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._records = RecordReader()

    def read(self, path: str, content: bytes) -> Package | None:
        """Return the package on a page, or None where the file is no page of a catalog.

        `path` names tag and package where the front matter does not. Raises FormatError, which
        names the line or the key path (`spec_details[3].hash`).
        """
        is_page = PurePosixPath(path).name == PAGE_NAME
        try:
            text = _front_matter(content)
        except FormatError:
            if is_page:
                raise
            return None
        if not is_page and not _LAYOUT.search(text):
            return None
        head, specs = self._read_usual(text) or _read_plain(text)
        tag_in_path, name_in_path = names_in_path(path)
        tag = (head.categories[1] if len(head.categories) > 1 else "") or tag_in_path
        if not tag:
            raise FormatError(
                "categories: no tag (the second entry), and no folder is named for one"
            )
        counts = count_by_stacks(specs)
        warning = _contradiction(head.meta, counts)
        return Package(tag, head.title or name_in_path, specs, counts, warning)

    def _read_usual(self, text: str) -> tuple[_Head, dict[str, SpecClass]] | None:
        """Return what a page in the usual form says, or None where that takes a YAML reader."""
        fields = usual_fields(text)
        if fields is None or not fields.keys() <= _USUAL_KEYS or "spec_details" not in fields:
            return None
        title = usual_scalar(fields.get("title", '""'))
        categories = usual_list(fields.get("categories", "[]"))
        layout = usual_scalar(fields.get("layout", '""'))
        if title is None or categories is None or layout is None:
            return None
        try:
            meta = _META.decode(fields.get("meta", "{}"))
            specs = self._records.read_usual(fields["spec_details"])
            if specs is None:
                specs = read_plain(_RECORDS.decode(fields["spec_details"]))
        except msgspec.DecodeError:
            return None
        return _Head(title, tuple(categories), meta), specs


def _front_matter(content: bytes) -> str:
    try:
        return front_matter_text(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"line {line}: not UTF-8 (byte 0x{content[error.start]:02x})") from error


def _read_plain(text: str) -> tuple[_Head, dict[str, SpecClass]]:
    """Return what a page of any legal form says."""
    fields = read_yaml(text)
    if "spec_details" not in fields and "spec_files" in fields:
        raise FormatError(
            "spec_files: this is the page layout used before 2023, which lists no specs; "
            "compare revisions whose pages have spec_details"
        )
    if "spec_details" not in fields:
        raise FormatError("spec_details: missing")
    known = {key: fields[key] for key in _Head.__struct_fields__ if key in fields}
    head = _convert(known, _Head, "")
    records = _convert(fields["spec_details"], list[Record], "spec_details")
    return head, read_plain(records)


def _convert(value: Any, kind: Any, key: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise explain(error, key) from error


def names_in_path(path: str) -> tuple[str, str]:
    """Return tag and package as the path has them: `_cache/<tag>/<package>/specs.md`."""
    parts = ("", "", *path.split("/"))
    if parts[-1] == PAGE_NAME:
        return parts[-3], parts[-2]
    return parts[-2], parts[-1].removesuffix(".md")


def _contradiction(meta: _Meta, counts: dict[frozenset[str], int]) -> str | None:
    """Return where a page's `meta` is wrong about the page's own specs, or None."""
    number = sum(counts.values())
    if meta.num_specs is not None and meta.num_specs != number:
        return f"meta.num_specs is {meta.num_specs}, but the page lists {number} specs"
    if meta.num_specs_by_stack is None:
        return None
    found: dict[str, int] = {}
    for stacks, number in counts.items():
        for stack in stacks:
            found[stack] = found.get(stack, 0) + number
    claimed = meta.num_specs_by_stack
    for stack in sorted(found.keys() | claimed.keys()):
        # `root` counts every spec there, and here only those in no other stack.
        if stack != ROOT and claimed.get(stack, 0) != found.get(stack, 0):
            return (
                f"meta.num_specs_by_stack has {claimed.get(stack, 0)} for {stack}, "
                f"but the page lists {found.get(stack, 0)}"
            )
    return None
