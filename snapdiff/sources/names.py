"""How revisions, paths, ranges and mirrors are written: what a name says before it is looked up."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from snapdiff.buildcache_layout import FOLDERS, LAYOUT_2, LAYOUT_3, VIEW
from snapdiff.document_names import COMPRESSED, PACKAGE_DATA, SPECS_DATA
from snapdiff.errors import RevisionError
from snapdiff.safe_text import shown

_REVISION_AND_PATH = re.compile(r"((?:[^{}:]|\{[^}]*\})+):(.*)", re.DOTALL)
_DOTS = re.compile(r"\.{2,}")
_SPECIAL = re.compile(r"[*?\[\\]")
_SPELLED = re.compile(r"\[([!^]?)(\]?[^\]]*)\]|\\(.)", re.DOTALL)

AS_A_REVISION = "~0"
"""What a name ends in that is a revision and nothing else, whatever files there are."""


def split_name(name: str) -> tuple[str, str]:
    """Return the revision and the path of `REV:PATH`; of any other name, nothing and the name.

    >>> split_name("HEAD:a:b"), split_name("HEAD@{12:00}")
    (('HEAD', 'a:b'), ('', 'HEAD@{12:00}'))
    """
    found = _REVISION_AND_PATH.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def ends_of_range(argument: str) -> tuple[str, str, str] | None:
    """Return the old end of a range, its dots and the new end, or None where it is no range.

    Two dots that are a part of a path, as in `../folder` or `HEAD:../folder`, or within braces make
    no range.

    >>> ends_of_range("A...B"), ends_of_range("A..../B"), ends_of_range("HEAD:../folder")
    (('A', '...', 'B'), ('A', '....', '/B'), None)
    """
    for dots in _DOTS.finditer(argument):
        old, new = argument[: dots.start()], argument[dots.end() :]
        is_in_path = old[-1:] in ("", "/", ":") and new[:1] in ("", "/") and dots[0] == ".."
        if not is_in_path and old.count("{") <= old.count("}"):
            return old, dots[0], new
    return None


def is_plainly_a_path(name: str) -> bool:
    """Return whether no revision can be spelled like this."""
    ends_like_one = name.endswith("/") and ":" not in name  # HEAD:folder/ is a folder in HEAD
    return name.startswith(("/", "./", "../")) or ends_like_one or name in (".", "..")


def is_plainly_a_revision(name: str) -> bool:
    """Return whether a name says that it is a revision, even where there is a file called so."""
    revision = split_name(name)[0] or name
    return revision.endswith(AS_A_REVISION) and not is_plainly_a_path(name)


def folders_upwards(folder: str) -> list[str]:
    """Return a folder of a repository and those above it: `a/b`, `a`, and nothing for the top."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]


# --- Paths after `--` ---


class Paths:
    """What a comparison is narrowed to; without a path, nothing is left out."""

    def __init__(self, words: Sequence[str] = (), prefix: str = "", top: str = "") -> None:
        """Take the paths as they were written; they begin in the folder `prefix`.

        An absolute one is to be in `top`. Raises RevisionError where one is outside, or is written
        in a way that is not taken.
        """
        found = [(word, *_files_of(word, prefix, top)) for word in words]
        self._taken = {word: files for word, _, files, is_left_out in found if not is_left_out}
        self._left_out = [files for _, _, files, is_left_out in found if is_left_out]
        self.places = {word: path for word, path, _, _ in found}
        """Where each path leads in what is compared, by how it was written."""

    def has(self, path: str) -> bool:
        """Return whether a file is to be looked at."""
        is_taken = not self._taken or any(it.fullmatch(path) for it in self._taken.values())
        return is_taken and not any(it.fullmatch(path) for it in self._left_out)

    def unmatched(self, files: Iterable[str]) -> list[str]:
        """Return which of the paths have none of these files, as they were written."""
        left = self._taken
        for file in files if left else ():
            left = {word: it for word, it in left.items() if not it.fullmatch(file)}
            if not left:
                break
        return list(left)


EVERYWHERE = Paths()


def _files_of(word: str, prefix: str, top: str) -> tuple[str, re.Pattern[str], bool]:
    """Return where a path after `--` leads, its files, and whether these are left out.

    What it means is in gitglossary(7), "pathspec" (docs/specification.md, section 2).
    """
    signs, rest = "", word
    if word.startswith(":"):
        rest = word[1:].lstrip("/!^")
        signs = word[1 : len(word) - len(rest)]
        rest = rest.removeprefix(":")
        if not signs or rest.startswith("("):
            raise RevisionError(
                f"{word}: is no path; folders, files and patterns are taken, :!PATH leaves one "
                "out, and :/PATH begins at the top"
            )
    if not rest and not signs:
        raise RevisionError("a path after -- cannot be empty; write . for the folder you are in")
    above = "" if "/" in signs else prefix
    path = posixpath.normpath(posixpath.join(above, rest)) if above or rest else "."
    if top and f"{path}/".startswith(f"{top}/"):
        path = posixpath.relpath(path, top)
    if path == ".." or path.startswith(("../", "/")):
        way_out = "write a path that begins in it" if path.startswith("/") else "leave it out"
        raise RevisionError(f"{word}: leads out of what is compared; {way_out}")
    path = "" if path == "." else path
    forms = [f"{re.escape(path)}/.*" if path else ".*"]
    if not rest.endswith(("/", "/.", "/..")):
        forms.append(re.escape(path))
        if _SPECIAL.search(rest):  # `*` and `?` take a `/` too, the folder above is literal
            literal = above if path.startswith(above) else ""
            pattern = _SPELLED.sub(_as_fnmatch, path.removeprefix(literal))
            forms.append(re.escape(literal) + translate(pattern))
    return path, re.compile("|".join(forms), re.DOTALL), bool({"!", "^"} & set(signs))


def _as_fnmatch(found: re.Match[str]) -> str:
    """Return a set of characters, or one after a backslash, in the words of `fnmatch`."""
    if found[3]:
        return f"[{found[3]}]" if found[3] in "*?[" else found[3]
    return f"[{'!' if found[1] else ''}{found[2]}]"


# --- Mirrors ---

_SCHEMES = ("http", "https", "s3", "gs", "file")
_REGISTRIES = {"oci": "https", "oci+http": "http"}
DIGEST = re.compile("sha256:[0-9a-f]{64}")
"""A digest as registries write it."""

_DOCKER_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")
_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\](:[0-9]{1,5})?")
_REPOSITORY = re.compile(r"[a-z0-9]+((\.|/|__?|-+)[a-z0-9]+)*")

LISTING = "cache_spack_io_index.json"
"""What a mirror of mirrors begins with."""

_ENDS = (LAYOUT_3, LAYOUT_2, LISTING, SPECS_DATA, PACKAGE_DATA)


class MirrorAddress(NamedTuple):
    """Where a mirror is. `base` and `query` may hold secrets; `str()` of it holds none."""

    scheme: str
    base: str
    """The URL without its query, and without a `/` at its end."""

    query: str
    """What every request has after its `?`, such as a token; empty where there is none."""

    def url(self, path: str) -> str:
        """Return the URL of a file of the mirror, to be asked for and never to be shown."""
        if self.scheme not in ("http", "https"):
            return f"{self.base}/{path}"
        url = f"{self.base}/{quote(path)}"
        return f"{url}?{self.query}" if self.query else url

    def above(self) -> "MirrorAddress | None":
        """Return the mirror that the address leads into, such as `MIRROR/build_cache`, or None.

        A mirror's own name may be that of such a folder.
        """
        for end in FOLDERS:
            above = self.base.removesuffix(f"/{end}")
            if above != self.base and above.partition("://")[2]:
                return self._replace(base=above)
        return None

    def __str__(self) -> str:
        return without_secrets(self.base)


class RegistryAddress(NamedTuple):
    """Where a build cache is in an OCI registry; nothing of it is secret."""

    scheme: str
    """That of its URLs: https, or http."""

    host: str
    """The name of the registry, with a port where there is one."""

    repository: str
    digest: str | None
    """The manifest of an older index, or None for the one that is tagged."""

    def __str__(self) -> str:
        oci = "oci" if self.scheme == "https" else "oci+http"
        at = f"@{self.digest}" if self.digest else ""
        return f"{oci}://{self.host}/{self.repository}{at}"

    def url(self, path: str) -> str:
        """Return the URL of a file of the repository."""
        host = "registry-1.docker.io" if self.host in _DOCKER_HUB else self.host
        return f"{self.scheme}://{host}/v2/{self.repository}/{path}"

    @property
    def host_of_login(self) -> str:
        """The name by which `docker login` knows the registry."""
        return "https://index.docker.io/v1/" if self.host in _DOCKER_HUB else self.host


def is_mirror_address(name: str) -> bool:
    """Return whether a name is the URL of a mirror."""
    return re.match("[a-z][a-z0-9+.-]*://", name) is not None


def parse_address(name: str) -> MirrorAddress | RegistryAddress:
    """Return the address of the mirror that a URL leads to or into; raises RevisionError."""
    if name.startswith(tuple(f"{scheme}://" for scheme in _REGISTRIES)):
        return _registry_address(name)
    scheme = next((known for known in _SCHEMES if name.startswith(f"{known}://")), None)
    if scheme is None or not name.isprintable() or " " in name:
        known = ", ".join(f"{begin}://" for begin in (*_SCHEMES, *_REGISTRIES))
        message = f"is no URL of a mirror; these begin with {known}"
        raise RevisionError(f"{without_secrets(name)}: {message}")
    is_web = scheme in ("http", "https")
    base, _, query = name.partition("#")[0].partition("?") if is_web else (name, "", "")
    for end in _ENDS:
        base = base.removesuffix(f"/{end}").removesuffix(f"/{end}{COMPRESSED}")
    if view := VIEW.fullmatch(base):
        base = view[1] + view[2]
    base = base.rstrip("/")
    _, _, place = base.partition("://")
    if scheme == "file" and not place.startswith("/"):
        message = "a file's URL has three slashes and an absolute path: file:///mirror"
        raise RevisionError(f"{shown(name)}: {message}")
    if is_web and not parts_of_url(base):
        raise RevisionError(f"{without_secrets(name)}: names no host")
    if not place:
        raise RevisionError(f"{without_secrets(name)}: names no place")
    return MirrorAddress(scheme, base, query)


def _registry_address(name: str) -> RegistryAddress:
    begin, _, place = name.partition("://")
    host, _, rest = place.rstrip("/").partition("/")
    repository, at, digest = rest.partition("@")
    is_host = _HOST.fullmatch(host) and parts_of_url(f"https://{host}")
    if not is_host or not _REPOSITORY.fullmatch(repository):
        message = f"is no build cache in a registry, {begin}://HOST/NAME, in small letters"
        raise RevisionError(f"{without_secrets(name)}: {message}")
    if at and not DIGEST.fullmatch(digest):
        message = "after @ comes the digest of a manifest, sha256:<64 of 0-9 and a-f>"
        raise RevisionError(f"{without_secrets(name)}: {message}")
    return RegistryAddress(_REGISTRIES[begin], host, repository, digest or None)


def without_secrets(url: str) -> str:
    """Return a URL as it may be shown: no user, password, query or fragment, and no odd text."""
    scheme, separator, rest = url.partition("://")
    if scheme in ("http", "https", *_REGISTRIES):
        rest = re.split("[?#]", rest, maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    # The last @ ends the user's name and password: one inside them may be there unescaped.
    return shown(f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}")


def parts_of_url(url: str) -> SplitResult | None:
    """Return the parts of a URL, or None where it names no host, or no possible port."""
    try:
        parts = urlsplit(url)
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None
