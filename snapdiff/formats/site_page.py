"""A page of Spack's cache site: `_cache/<tag>/<package>/specs.md` (specification, section 1)."""

import re
from collections import Counter
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from snapdiff.errors import FormatError
from snapdiff.formats.base import Claim, CountedDocument, Document, DocumentPair, File
from snapdiff.formats.front_matter import (
    explain,
    front_matter_text,
    read_yaml,
    usual_fields,
    usual_list,
    usual_scalar,
)
from snapdiff.formats.records import Record, RecordReader, read_plain
from snapdiff.limits import DEFAULT_LIMITS, Limits, over_limit
from snapdiff.model import (
    ROOT,
    Build,
    Package,
    PackageCounts,
    PackagePair,
    StackCounts,
    count_by_stacks,
    counted_in_common,
)

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


class _UsualPage(NamedTuple):
    """A page in the usual form, its specs not yet read."""

    head: _Head
    details: memoryview


_RECORDS = msgspec.json.Decoder(list[Record])
_META = msgspec.json.Decoder(_Meta)


class SitePages:
    """The format of the site's pages: `specs.md`, and other Markdown by its layout."""

    name = "site page"
    files = f"{PAGE_NAME}, or *.md with layout: cache"

    def document_path(self, path: str) -> str | None:
        """Return the path itself where a file may be a page, otherwise None."""
        return path if path.endswith(".md") else None

    def is_named(self, path: str) -> bool:
        """Return whether a file is a page whatever it holds."""
        return path.rpartition("/")[2] == PAGE_NAME

    def tag_folder(self, path: str) -> str:
        """Return the folder above the package's, whatever it is called."""
        folder = path.rpartition("/")[0]
        return folder.rpartition("/")[0] if self.is_named(path) else folder

    def claim_of_path(self, path: str) -> Claim:
        """Return the package that the folders of a page name."""
        tag, name = names_in_path(path)
        return Claim(tag, "package", name)

    def reader(self, limits: Limits) -> "SitePageReader":
        """Return a reader that knows nothing yet."""
        return SitePageReader(limits)


class SitePageReader:
    """Reads pages; two versions of a page are best read by the same reader."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        """Begin with nothing known."""
        self._limits = limits
        self._records = RecordReader()

    def read(self, file: File) -> Document | None:
        """Return the package on a page, or None where the file is no page of a catalog.

        The path names tag and package where the front matter does not. Raises FormatError, which
        names the line or the key path (`spec_details[3].hash`).
        """
        path, content = file.full_path, file.content
        if not file.is_document and not _is_page(path, content):
            return None
        _check_size(content, self._limits)
        head, specs = self._read_usual(content) or self._read_plain(_front_matter(content))
        tag, name = _names(path, head)
        # Aliases make a page say more than it holds, though not more than a page may hold.
        most = max(len(content), self._limits.yaml_size * 8 if b"*" in content else 0)
        _check_text(Counter(specs.values()), most, self._limits)
        by_stacks = count_by_stacks(specs.values(), {})
        return Document(
            claims=(Claim(tag, "package", name),),
            packages=[Package(tag, name, specs)],
            counts=[PackageCounts(tag, name, by_stacks)],
            warning=_contradiction(head.meta, by_stacks),
        )

    def count(self, file: File) -> CountedDocument | None:
        """Return how many specs a page has that is the same on both sides.

        Like `read`, and raises what it does, but what nobody asks of such a page is left out.
        """
        path, content = file.full_path, file.content
        page = _usual_page(content) if _is_page(path, content) else None
        builds = None
        if page is not None and len(content) <= self._limits.values:
            builds = self._records.count_usual(page.details)
        if page is None or builds is None:
            document = self.read(file)
            return document.counted() if document else None
        tag, name = _names(path, page.head)
        _check_text(builds, len(content), self._limits)
        by_stacks = count_by_stacks(builds.elements(), {})
        return CountedDocument(
            claims=(Claim(tag, "package", name),),
            counts=[PackageCounts(tag, name, by_stacks)],
            warning=_contradiction(page.head.meta, by_stacks),
        )

    def read_pair(self, old: File, new: File) -> DocumentPair | None:
        """Return two versions of a page; what they have in common is read once.

        None where they are not in the usual form or not of the same package and tag: then each is
        to be read alone, which tells what is wrong, if anything is.
        """
        if names_in_path(old.full_path) != names_in_path(new.full_path):
            return None  # two tags: known without a look at the pages
        if not _is_page(old.path, old.content) or not _is_page(new.path, new.content):
            return None
        if max(len(old.content), len(new.content)) > self._limits.values:
            return None  # too long to hold them both
        before, after = _usual_page(old.content), _usual_page(new.content)
        if before is None or after is None:
            return None
        try:
            tag, name = _names(old.full_path, before.head)
            if _names(new.full_path, after.head) != (tag, name):
                return None
            found = self._records.read_shared(before.details, after.details)
            if found is None:
                return None
            for specs, content in ((found.old, old.content), (found.new, new.content)):
                builds = Counter(specs.values())
                builds.update(found.shared)
                _check_text(builds, len(content), self._limits)
        except FormatError:
            return None  # read alone, the one that is to blame says so
        common = counted_in_common(found.shared)
        return DocumentPair(
            claims=(Claim(tag, "package", name),),
            pairs=[
                PackagePair(tags=(tag, tag), name=name, old=found.old, new=found.new, common=common)
            ],
            unchanged=[],
            warnings=(
                _contradiction(before.head.meta, count_by_stacks(found.old.values(), common)),
                _contradiction(after.head.meta, count_by_stacks(found.new.values(), common)),
            ),
        )

    def _read_usual(self, content: bytes) -> tuple[_Head, dict[str, Build]] | None:
        """Return what a page in the usual form says, or None where that takes a YAML reader."""
        page = _usual_page(content)
        if page is None:
            return None
        specs = self._records.read_usual(page.details)
        if specs is None:
            try:
                specs = read_plain(_RECORDS.decode(page.details))
            except (msgspec.DecodeError, RecursionError):
                return None
        return page.head, specs

    def _read_plain(self, text: str) -> tuple[_Head, dict[str, Build]]:
        """Return what a page of any legal form says."""
        fields = read_yaml(text, self._limits)
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


def _check_size(content: bytes, limits: Limits) -> None:
    """Raise FormatError where a page is larger, or holds more values, than is taken."""
    if len(content) > limits.page_size:
        raise over_limit("the page is too large", limits.page_size, "bytes")
    most = limits.values
    # There are no more values than commas, line breaks and one; a short page need not be counted.
    if len(content) > most and content.count(b",") + content.count(b"\n") >= most:
        raise over_limit("the page holds too many values", most, "values")


def _is_page(path: str, content: bytes) -> bool:
    """Return whether a file is a page of a catalog: by its name, otherwise by its layout."""
    if path.rpartition("/")[2] == PAGE_NAME:
        return True
    try:
        return _LAYOUT.search(_front_matter(content)) is not None
    except FormatError:
        return False


def _usual_page(content: bytes) -> _UsualPage | None:
    """Return a page in the usual form, or None where it takes a YAML reader to read its head."""
    fields = usual_fields(content)
    if fields is None or not fields.keys() <= _USUAL_KEYS or "spec_details" not in fields:
        return None
    title = usual_scalar(_text(fields, "title", '""'))
    categories = usual_list(_text(fields, "categories", "[]"))
    layout = usual_scalar(_text(fields, "layout", '""'))
    if title is None or categories is None or layout is None:
        return None
    try:
        meta = _META.decode(fields["meta"]) if "meta" in fields else _Meta()
    except (msgspec.DecodeError, RecursionError):
        return None
    return _UsualPage(_Head(title, tuple(categories), meta), fields["spec_details"])


def _text(fields: dict[str, memoryview], key: str, default: str) -> str:
    return str(fields[key], "utf-8") if key in fields else default


_LINE = 256
"""How many characters a change takes in a report beside what the page says of the spec."""


def _check_text(builds: Counter[Build], length: int, limits: Limits) -> None:
    """Raise FormatError where a report, which lists a spec once a stack, could be too long.

    `builds` has the number of specs of each; they are described in at most `length` characters.
    """
    most_stacks = max((len(build.stacks) for build in builds), default=0)
    if most_stacks * 3 * length <= limits.text:
        return  # a spec takes at least half as much as a line
    text = 0
    for build, number in builds.items():
        fields = build.version_text, build.compiler, build.os, build.platform, build.target
        line = _LINE + sum(map(len, fields)) + sum(map(len, build.variants))
        text += number * len(build.stacks) * line
    if text > limits.text:
        what = "listing each spec once for each of its stacks takes too much"
        raise over_limit(what, limits.text, "characters")


def _names(path: str, head: _Head) -> tuple[str, str]:
    """Return tag and package, as the front matter has them or else the path.

    Raises FormatError where nothing names the tag.
    """
    tag_in_path, name_in_path = names_in_path(path)
    tag = (head.categories[1] if len(head.categories) > 1 else "") or tag_in_path
    if not tag:
        raise FormatError("categories: no tag (the second entry), and no folder is named for one")
    return tag, head.title or name_in_path


def _front_matter(content: bytes) -> str:
    try:
        return front_matter_text(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"line {line}: not UTF-8 (byte 0x{content[error.start]:02x})") from error


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


def _contradiction(meta: _Meta, counts: StackCounts) -> str | None:
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
