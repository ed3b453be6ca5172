"""Names as people read them: of the two sides and of tags; long lists cut short."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Generic, NamedTuple, TypeVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from snapdiff.document_names import FILE_ENDINGS
from snapdiff.model.specs import EMPTY_PART, Revision
from snapdiff.result.changes import CatalogDiff, TagDiff
from snapdiff.result.questions import ExplainedPackage, ExplainedTag
from snapdiff.safe_text import shown, visible
from snapdiff.spack import is_patches

_Item = TypeVar("_Item")
_Diff = TypeVar("_Diff", CatalogDiff, ExplainedPackage)

Mark = Callable[[str], str]
"""How a name or value of a catalog is written: `shown` for a terminal, `code` for Markdown."""

SHORT_HASH = 7
"""How many characters of a commit, a spec's hash or a patch's hash people are shown."""

_PATCH = re.compile(r"(?<=[=,])[0-9a-f]{8,}")

_SAYS_LITTLE = re.compile(r"(HEAD|[0-9a-f]{7,64}|.*[~^@].*)(:.*)?", re.DOTALL)
"""Names of revisions that mean another commit tomorrow, or that nobody knows by heart."""

_PATH_PART = re.compile(r"[^/:]+[/:]*|[/:]+")


class ShortList(Struct, Generic[_Item], frozen=True):
    """The first items of a list, and how many more there are."""

    first: tuple[_Item, ...]
    more: int


def shortened(items: Sequence[_Item], most: int) -> ShortList[_Item]:
    """Return the first `most` items; where only one more would be left, that one too."""
    kept = most if len(items) > most + 1 else len(items)
    return ShortList(tuple(items[:kept]), len(items) - kept)


def joined(names: Iterable[str], most: int | None = None, *, mark: Mark) -> str:
    """Return some names, or the first ones and how many more there are: `a, b and 2 more`."""
    every = list(names)
    some = shortened(every, len(every) if most is None else most)
    more = f" and {some.more:,} more" if some.more else ""
    return f"{', '.join(map(mark, some.first))}{more}"


def counted(value: int, noun: str) -> str:
    """Return a number with its noun: `1 spec`, `1,204 specs`."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def short_hash(text: str) -> str:
    """Return the first characters of a hash or commit."""
    return text[:SHORT_HASH]


def says(text: str, name: str) -> bool:
    """Return whether a text has a name: `cuda-x86_64` is not `cuda`."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def day_of(moment: str | None) -> str:
    """Return the day of a moment in ISO 8601, nothing where there is none."""
    return (moment or "")[: len("2025-07-06")]


def short_patches(variant: str) -> str:
    """Return a variant with the hashes of its patches cut short.

    >>> short_patches("patches=0123456789abcdef,fedcba9876543210")
    'patches=0123456,fedcba9'
    """
    if not is_patches(variant):
        return variant
    return _PATCH.sub(lambda found: short_hash(found[0]), variant)


def tag_names(tag: TagDiff | ExplainedTag) -> tuple[str, ...]:
    """Return a tag's name, both where two tags are compared, or none where it is not named."""
    return tuple(dict.fromkeys(name for name in (tag.old, tag.new) if name))


def tag_label(tag: TagDiff | ExplainedTag, mark: Mark = shown) -> str:
    """Return a tag's name, or both names where two tags are compared with each other."""
    return " → ".join(map(mark, tag_names(tag)))


MOST_VERSIONS = 6
"""How many versions of a package are named before the others are counted."""


def versions_in_words(versions: Sequence[str], mark: Mark) -> str:
    """Return versions, the highest first; of very many the first ones."""
    if len(versions) > MOST_VERSIONS + 1:
        return joined(versions[::-1], MOST_VERSIONS, mark=mark)
    marked = list(map(mark, versions[::-1]))
    return " and ".join([part for part in (", ".join(marked[:-1]), *marked[-1:]) if part])


# --- The two sides ---

_LONGEST_SUBJECT = 60
"""How many characters of a commit's subject stand in a heading."""


class SideName(NamedTuple):
    """What a side is called in a heading; what it has not got is empty.

    `whole` is there where `name` is only a part of it, and `commit_id` is the whole hash.
    """

    name: str
    commit: str
    subject: str
    day: str
    whole: str = ""
    commit_id: str = ""


def side_names(old: Revision, new: Revision) -> tuple[SideName, SideName]:
    """Return the shortest names that tell the sides apart: `24.05` and `24.11`, not their folders.

    The parts of a path that both have at the same end are left out, unless nothing would be left.
    Of two folders far from each other the last parts are enough; of a file its folder is one.
    """
    short = short_names(old.source, new.source)
    last = _last_part(old, short[0]), _last_part(new, short[1])
    short = last if all(last) and last[0] != last[1] else short
    names = side_name(old, short[0]), side_name(new, short[1])
    if (names[0].name, names[1].name) == (old.source, new.source):
        return names
    return names[0]._replace(whole=old.source), names[1]._replace(whole=new.source)


def _last_part(side: Revision, short: str) -> str:
    if side.commit or "://" in side.source:
        return short
    parts = short.rstrip("/").split("/")
    is_near = len(parts) < 3 and side.source != f"/{short}"
    if is_near or parts[-1] in (".", ".."):
        return short
    return "/".join(parts[-2:] if parts[-1].endswith(FILE_ENDINGS) else parts[-1:])


def side_name(revision: Revision, short: str = "") -> SideName:
    """Return what a side is called: its name is `short`, or the whole one."""
    name = short or revision.source
    day = day_of(revision.date)
    commit = short_hash(revision.commit or "")
    if revision.commit:
        name = name.replace(revision.commit, commit)
    whole = visible((revision.subject or "")[:1000])
    subject = textwrap.shorten(whole, _LONGEST_SUBJECT, placeholder=" …")
    if not _SAYS_LITTLE.fullmatch(name):
        commit = subject = ""
    return SideName(
        name,
        "" if name.startswith(commit) else commit,
        "" if subject == name else subject,
        "" if day in name else day,
        commit_id=(revision.commit or "") if revision.commit != revision.source else "",
    )


def short_names(old: str, new: str) -> tuple[str, str]:
    """Return two paths, or revisions with paths, without what they have in common.

    >>> short_names("site/24.05/e4s", "site/24.11/e4s")
    ('24.05', '24.11')
    >>> short_names("HEAD~1:spack.lock", "spack.lock")
    ('HEAD~1:spack.lock', 'spack.lock')
    """
    parts = [_PATH_PART.findall(name) for name in (old, new)]
    shortest = min(map(len, parts))
    first = last = 0
    while first < shortest - 1 and parts[0][first] == parts[1][first]:
        first += 1
    while last < shortest - 1 - first and parts[0][-1 - last] == parts[1][-1 - last]:
        last += 1
    short = ["".join(some[first : len(some) - last]).strip("/:") for some in parts]
    return (short[0], short[1]) if all(short) and short[0] != short[1] else (old, new)


_PATH_IN_BOTH = re.compile(r"(?:[^{}:]|\{[^}]*\})+:(.+)", re.DOTALL)


def with_path_of_both(diff: _Diff) -> _Diff:
    """Return a diff whose filters name the path that both revisions are narrowed to.

    A heading leaves it out of their names: of `HEAD~1:env` and `HEAD:env`, that is `env`.
    """
    old, new = (_PATH_IN_BOTH.fullmatch(side.source) for side in (diff.old, diff.new))
    has_commit = diff.old.commit or diff.new.commit
    if not (old and new and has_commit and old[1] == new[1]):
        return diff
    paths = (old[1], *(diff.filters.path or ()))
    return replace(diff, filters=replace(diff.filters, path=paths))


TOP_FOLDER = "top folder"
"""What people read for a stack or tag that is called `.` and is not the only one."""


def readable(diff: _Diff, *, names_only_stack: bool = True) -> _Diff:
    """Return a diff, or why a package changed, in which nothing is called `.`.

    A stack that is the only one has its folder's name, if that is known and asked for; such a tag
    has none. One `spack.lock` at the top of a repository is such a stack, in such a tag
    (docs/specification.md, section 10).
    """
    only_tag = {(tag.old, tag.new) for tag in diff.tags}
    tag_name = "" if only_tag == {(EMPTY_PART, EMPTY_PART)} else TOP_FOLDER
    stack_name = TOP_FOLDER
    if {stack.stack for tag in diff.tags for stack in tag.stacks} == {EMPTY_PART}:
        folders = {_folder(diff.old), _folder(diff.new)}
        stack_name = folders.pop() if names_only_stack and len(folders) == 1 else ""

    tags = []
    for tag in diff.tags:
        old, new = (tag_name if name == EMPTY_PART else name for name in (tag.old, tag.new))
        stacks = (
            replace(stack, stack=stack_name) if stack.stack == EMPTY_PART else stack
            for stack in tag.stacks
        )
        tags.append(replace(tag, old=old, new=new, stacks=tuple(stacks)))
    return replace(diff, tags=tuple(tags))


def only_place(tag: TagDiff, sides: Iterable[SideName], asked: Sequence[str]) -> tuple[str, ...]:
    """Return the name of the only tag that changed with its only stack: `develop/e4s`.

    It has two names where two tags are compared with each other. The tag is not named if the sides
    have its names, or if it is the one that was asked for.
    """
    names = tag_names(tag)
    [stack, *more] = tag.stacks
    stack_name = "" if more else stack.stack
    parts = [name.split("/")[-1] for name in names]
    is_said = parts == [side.name for side in sides] or list(names) == list(asked)
    if not names or is_said or TOP_FOLDER in names:
        return (stack_name,) if stack_name else ()
    if len(names) > 1 and stack.renamed_from is not UNSET:
        stack_name = ""
    return tuple(f"{name}/{stack_name}" if stack_name else name for name in names)


def _folder(side: Revision) -> str:
    """Return the name of the folder that a side is, or is a file of; nothing where unknown."""
    if side.commit and ":" not in side.source:  # the top of a repository
        return ""
    *above, last = side.source.rpartition(":")[2].rstrip("/").split("/")
    if PurePosixPath(last).suffix in FILE_ENDINGS:
        last = above[-1] if above else ""
    return "" if last in (".", "..") else last
