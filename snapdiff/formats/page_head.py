"""What the front matter of a site's page says beside its specs: title, tag and derived numbers."""

from typing import NamedTuple

import msgspec
from msgspec import Struct

from snapdiff.errors import FormatError
from snapdiff.formats.document_names import MARKDOWN, PAGE_NAME
from snapdiff.formats.front_matter import usual_fields, usual_list, usual_scalar
from snapdiff.model import ROOT, StackCounts

LAYOUT = "cache"
"""The layout of the pages of a catalog."""

_USUAL_KEYS = frozenset(["title", "layout", "categories", "meta", "spec_details"])


class Meta(Struct, frozen=True):
    """What the catalog's generator derived from the page's specs."""

    num_specs: int | None = None
    num_specs_by_stack: dict[str, int] | None = None


class PageHead(Struct, frozen=True):
    """The front matter of a page but its specs."""

    title: str = ""
    categories: tuple[str, ...] = ()
    meta: Meta = Meta()


class UsualPage(NamedTuple):
    """A page in the usual form, its specs not yet read."""

    layout: str
    head: PageHead
    details: memoryview


_META = msgspec.json.Decoder(Meta)


def usual_page(content: bytes) -> UsualPage | None:
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
        meta = _META.decode(fields["meta"]) if "meta" in fields else Meta()
    except (msgspec.DecodeError, RecursionError):
        return None
    return UsualPage(layout, PageHead(title, tuple(categories), meta), fields["spec_details"])


def _text(fields: dict[str, memoryview], key: str, default: str) -> str:
    return str(fields[key], "utf-8") if key in fields else default


def names_of_page(path: str, head: PageHead) -> tuple[str, str]:
    """Return tag and package, as the front matter has them or else the path.

    Raises FormatError where nothing names the tag.
    """
    tag_in_path, name_in_path = names_in_path(path)
    tag = (head.categories[1] if len(head.categories) > 1 else "") or tag_in_path
    if not tag:
        raise FormatError("categories: no tag (the second entry), and no folder is named for one")
    return tag, head.title or name_in_path


def names_in_path(path: str) -> tuple[str, str]:
    """Return tag and package as the path has them: `_cache/<tag>/<package>/specs.md`."""
    parts = ("", "", *path.split("/"))
    if parts[-1] == PAGE_NAME:
        return parts[-3], parts[-2]
    return parts[-2], parts[-1].removesuffix(MARKDOWN)


def contradiction(meta: Meta, counts: StackCounts) -> str | None:
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
