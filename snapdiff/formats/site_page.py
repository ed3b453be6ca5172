"""A page of Spack's binary cache site (docs/specification.md, section 1).

`_cache/<tag>/<package>/specs.md`, or other Markdown whose front matter says `layout: cache`.
"""

import re
from collections import Counter

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from snapdiff.document_names import (
    OLDEST_PAGE_NAME,
    PAGE_NAME,
    is_called,
    is_named_by_folder,
    names_in_path,
)
from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, Document, File
from snapdiff.formats.json_text import Key, decoder_by_key, type_error
from snapdiff.formats.records import Record, RecordReader, check_listing, read_records
from snapdiff.limits import DEFAULT_LIMITS, Limits, over_limit
from snapdiff.model.packages import Package, PackageCounts, StackCounts, count_by_stacks
from snapdiff.model.specs import ROOT, Build

_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t\r]*(?:\n|\Z)")
_END = re.compile(rb"\n(?=(?:---|\.\.\.)[ \t\r]*(?:\n|\Z))")
_LAST_LINE = re.compile(rb"(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
_LAYOUT = re.compile(rb"\nlayout:[ \t]+([\"']?)([\w.-]+)\1[ \t]*(?:[ \t]#[^\n]*)?\r?(?=\n)")
_KEY = re.compile(rb"([a-z_]+): ")
_QUOTED = re.compile(r'"([ !#-\[\]-~]*)"')
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_WORD_LIST = re.compile(r"\[([A-Za-z0-9._, -]*)\]")
_NOT_STRINGS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
"""Words that YAML 1.1 does not read as strings, in any case of letters."""


LAYOUT = "cache"
"""The layout of the pages of a catalog."""

_USUAL_KEYS = frozenset(["title", "layout", "categories", "meta", "spec_details"])


class _Meta(Struct, frozen=True):
    """What the catalog's generator derived from the page's specs."""

    num_specs: int | None = None
    num_specs_by_stack: dict[str, int] | None = None


class _FrontMatter(Struct, frozen=True):
    title: str = ""
    categories: tuple[str, ...] = ()
    meta: _Meta = _Meta()
    spec_details: list[Record] | UnsetType = UNSET
    spec_files: list[str | dict[str, str]] | UnsetType = UNSET
    """The files beside a page of 2021 or 2022, first each by its spec, written out."""


_META = msgspec.json.Decoder(_Meta)
_RECORDS = msgspec.json.Decoder(list[Record])
_MAPPINGS = decoder_by_key(list[dict[Key, Raw]])


class SitePageReader:
    """Reads pages; two versions of a page are best read by the same reader."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._records = RecordReader()

    def read(self, file: File) -> Document | None:
        """Return the package on a page, or None if the file is not a page of a catalog.

        The path names tag and package where the front matter does not. Raises FormatError, which
        names the line or the key path (`spec_details[3].hash`).
        """
        is_oldest = is_called(file.path, OLDEST_PAGE_NAME) and b"\nspec_files:" in file.content
        is_certain = file.is_document or is_called(file.path, PAGE_NAME) or is_oldest
        usual = self._read_usual(file.content, is_certain)
        found, specs = usual or (self._read_any(file.content, is_certain), None)
        if found is None:
            return None
        claim = _claim_of(found, file)
        if specs is None:
            if found.spec_details is UNSET:
                if found.spec_files is UNSET or not is_named_by_folder(file.path):
                    raise FormatError("spec_details: missing")
                from snapdiff.formats.old_pages import open_old_page  # late: few are that old

                return open_old_page(file, claim, found.spec_files, self._limits)
            specs = read_records(found.spec_details)
        if not claim.tag:
            where = "no tag (the second entry), and no folder is named for one"
            raise FormatError(f"categories: {where}")
        builds = Counter(specs.values())
        by_stacks = count_by_stacks(builds.items())
        check_listing(builds.items(), self._limits)
        return Document(
            "page",
            (claim,),
            [Package(claim.tag, claim.name, specs)],
            [PackageCounts(claim.tag, claim.name, by_stacks)],
            _contradiction(found.meta, by_stacks),
        )

    def _read_usual(
        self, content: bytes, is_certain: bool
    ) -> tuple[_FrontMatter, dict[str, Build]] | None:
        """Return what a page in the usual form says and its specs, None where that takes YAML."""
        fields = usual_fields(content)
        if fields is None or not fields.keys() <= _USUAL_KEYS or "spec_details" not in fields:
            return None
        title = _usual_scalar(str(fields.get("title", b'""'), "utf-8"))
        categories = _usual_list(str(fields.get("categories", b"[]"), "utf-8"))
        layout = _usual_scalar(str(fields.get("layout", b'""'), "utf-8"))
        if title is None or categories is None or layout is None:
            return None
        if layout != LAYOUT and not is_certain:
            return None
        try:
            meta = _META.decode(fields.get("meta", b"{}"))
            check_size(content, self._limits)
            specs = self._records.read(fields["spec_details"])
            if specs is None:
                mappings = _MAPPINGS.decode(fields["spec_details"])
                if any(len(set(map(str, keys))) < len(keys) for keys in mappings):
                    return None
                specs = read_records(_RECORDS.decode(fields["spec_details"]))
        except (msgspec.DecodeError, RecursionError):
            return None
        return _FrontMatter(title, tuple(categories), meta), specs

    def _read_any(self, content: bytes, is_certain: bool) -> _FrontMatter | None:
        """Return what a page of any legal form says, or None if a file is not a page.

        A file called `specs.md` is a page, and so is one that is a page on the other side. Any
        other file is one if its front matter says `layout: cache`, however YAML spells it. Without
        front matter it is none. If its front matter cannot be read (cut off, not UTF-8, not YAML,
        too large), the file may have been a page, and is a bad one: no spec is reported removed
        because a page was cut short. Only a whole line that clearly names another layout means that
        it is not a page.
        """
        from snapdiff.formats.yaml_reading import read_yaml  # late: most pages do not need it

        if not is_certain and not _FIRST_LINE.match(content):
            return None
        try:
            check_size(content, self._limits)
            if is_certain:
                _decode_page(content)  # what is no text at all is named as that first
            fields = read_yaml(front_matter_text(content), self._limits)
        except FormatError:
            layouts = _plain_layouts(content)
            if is_certain or not layouts or LAYOUT in layouts:
                raise
            return None
        has_keys = isinstance(fields, dict)
        if not is_certain and not (has_keys and fields.get("layout") == LAYOUT):
            return None
        if not has_keys:
            raise FormatError("line 2: front matter holds no keys")
        _decode_page(content)
        known = {key: fields[key] for key in _FrontMatter.__struct_fields__ if key in fields}
        try:
            return msgspec.convert(known, _FrontMatter)
        except msgspec.ValidationError as error:
            raise type_error(error, "") from error


def _claim_of(page: _FrontMatter, file: File) -> Claim:
    """Return what a page lists, by its front matter, then by its path; the tag may be empty."""
    tag, name = names_in_path(f"{file.above}/{file.path}")
    categories = page.categories
    return Claim(
        (categories[1] if len(categories) > 1 else "") or tag, "package", page.title or name
    )


def _contradiction(meta: _Meta, counts: StackCounts) -> str | None:
    """Return where a page's `meta` is wrong about the page's own specs, or None."""
    number = counts.total()
    if meta.num_specs is not None and meta.num_specs != number:
        listed = f"{number} spec{'s' if number != 1 else ''}"
        return f"meta.num_specs is {meta.num_specs}, but the page lists {listed}"
    if meta.num_specs_by_stack is None:
        return None
    found: Counter[str] = Counter()
    for stacks, number in counts.items():
        for stack in stacks:
            found[stack] += number
    claimed = meta.num_specs_by_stack
    for stack in sorted(found.keys() | claimed.keys()):
        # `root` counts every spec there, and here only those in no other stack.
        if stack != ROOT and claimed.get(stack, 0) != found[stack]:
            return (
                f"meta.num_specs_by_stack has {claimed.get(stack, 0)} for {stack}, "
                f"but the page lists {found[stack]}"
            )
    return None


# --- The text of front matter ---


def check_size(page: bytes, limits: Limits) -> None:
    """Raise FormatError where a page is larger, or holds more values, than is taken."""
    if len(page) > limits.page_size:
        raise over_limit("is too large", limits.page_size, "bytes")
    most = limits.values
    # There are no more values than commas, line breaks and one; a short page need not be counted.
    if len(page) > most and page.count(b",") + page.count(b"\n") >= most:
        raise over_limit("the page holds too many values", most, "values")


def front_matter_text(page: bytes) -> str:
    """Return the text between a first line `---` and the next `---` or `...`, as Jekyll sees it.

    The text begins with the line break that ends the first line. Raises FormatError, which names
    the line.
    """
    first = _FIRST_LINE.match(page)
    if not first:
        raise FormatError("line 1: no front matter; a page begins with a line '---'")
    end = _END.search(page, first.end() - 1)
    if not end:
        raise FormatError("line 1: front matter begins with '---' and never ends")
    return _decode_page(page, first.end() - 1, end.end())


def _decode_page(page: bytes, start: int = 0, end: int | None = None) -> str:
    """Return a page, or a part of it, as text; raises FormatError, which names the line."""
    try:
        return page[start:end].decode("utf-8")
    except UnicodeDecodeError as error:
        position = start + error.start
        line = page.count(b"\n", 0, position) + 1
        raise FormatError(f"line {line}: not UTF-8 (byte 0x{page[position]:02x})") from None


def _plain_layouts(page: bytes) -> set[str]:
    """Return the words that front matter gives as the layout in whole lines `layout: word`.

    This takes no YAML reader, so it works where front matter is cut off or broken.
    """
    first = _FIRST_LINE.match(page)
    start = first.end() - 1 if first else len(page)
    end = _END.search(page, start)
    lines = _LAYOUT.finditer(page, start, end.end() if end else len(page))
    return {found[2].decode("ascii") for found in lines}


def usual_fields(page: bytes) -> dict[str, memoryview] | None:
    """Return key and raw value of each line where front matter is plain `key: value` lines.

    None where a line is anything else, a key is there twice or the page is not UTF-8: that takes a
    YAML reader. Values are views of the page: one of them is nearly all of it.
    """
    first_line = _FIRST_LINE.match(page)
    try:
        if not first_line or not (page.isascii() or page.decode("utf-8")):
            return None
    except UnicodeDecodeError:
        return None
    fields: dict[str, memoryview] = {}
    whole = memoryview(page)
    start = first_line.end()
    while key := _KEY.match(page, start):
        end = page.find(b"\n", start)
        name = key[1].decode("ascii")
        if end < 0 or name in fields:
            return None
        start = end + 1
        while page[end - 1] in b" \r":
            end -= 1
        fields[name] = whole[key.end() : end]
    return fields if _LAST_LINE.match(page, start) else None


def _usual_scalar(raw: str) -> str | None:
    """Return a raw value as the string YAML would read, or None where that takes a YAML reader."""
    raw = raw.strip(" \r")
    quoted = _QUOTED.fullmatch(raw)
    if quoted:
        return quoted[1]
    return raw if _WORD.fullmatch(raw) and raw.lower() not in _NOT_STRINGS else None


def _usual_list(raw: str) -> list[str] | None:
    """Return `[package, develop]` as a list of strings, or None where that takes a YAML reader."""
    found = _WORD_LIST.fullmatch(raw.strip(" \r"))
    if not found:
        return None
    items = found[1].split(",") if found[1].strip(" ") else []
    words = [word for word in map(_usual_scalar, items) if word is not None]
    return words if len(words) == len(items) else None
