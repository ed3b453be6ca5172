"""Names that tell people nothing: a tag or a stack that is the only one and called `.`."""

from msgspec.structs import replace

from snapdiff.model import EMPTY_PART
from snapdiff.reports.short_list import tag_names
from snapdiff.result import CatalogDiff, TagDiff


def without_only_names(diff: CatalogDiff) -> CatalogDiff:
    """Return a diff in which such a name is empty, so that people do not read it.

    One `spack.lock` at the top of a repository is such a stack, in such a tag
    (docs/specification.md, section 10). A tag that is removed or added keeps its name: that line is
    about nothing else.
    """
    tags = diff.tags
    if len(tags) == 1 and tags[0].status == "changed" and tag_names(tags[0]) == (EMPTY_PART,):
        tags = (replace(tags[0], old="", new=""),)
    if {stack.stack for tag in tags for stack in tag.stacks} == {EMPTY_PART}:
        tags = tuple(map(_with_unnamed_stack, tags))
    return replace(diff, tags=tags)


def _with_unnamed_stack(tag: TagDiff) -> TagDiff:
    return replace(tag, stacks=tuple(replace(stack, stack="") for stack in tag.stacks))
