"""A document that was named itself, in any of the forms in which people keep one."""

import re

from snapdiff.buildcache_layout import LAYOUT_2
from snapdiff.document_names import DATABASE, LOCK_NAME, PAGE_NAME
from snapdiff.limits import Limits, plain_content

_HEAD = 4096
"""Within how many bytes a document says what it is; Spack does so at once."""

_SIGNED = re.compile(
    rb"-----BEGIN PGP SIGNED MESSAGE-----\r?\n.*?\r?\n\r?\n(.*?)\r?\n-----BEGIN PGP SIGNATURE-----",
    re.DOTALL,
)
_SPEC = re.compile(rb'\{.{0,2000}?"spec"\s*:\s*[\[{]', re.DOTALL)


def usual_name(content: bytes) -> str | None:
    """Return the name that a document like this has in a catalog: `spack.lock` for `old.lock`.

    None where it is no such document. Only what is likely is said here: the kind's reader finds out
    whether the document is one.
    """
    if b'"concrete_specs"' in content:
        return LOCK_NAME
    if b'"database"' in content[:_HEAD]:
        # The records of both kinds are of one shape; each says where its specs are.
        return DATABASE if b'"installed"' in content else LAYOUT_2
    return PAGE_NAME if content.startswith(b"---") else None


def plain_document(content: bytes, limits: Limits) -> bytes:
    """Return a document as it is in a catalog: unfolded, without a signature, specs as a lock.

    Raises FormatError where it cannot be read.
    """
    content = plain_content(content, limits.document_size)
    if signed := _SIGNED.match(content):
        content = signed[1]
    if usual_name(content) is None and _SPEC.match(content[:_HEAD].lstrip()):
        from snapdiff.formats.environment_lock import lock_of_specs  # late: few are named as such

        return lock_of_specs(content)
    return content
