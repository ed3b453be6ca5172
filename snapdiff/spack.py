"""Spack's own rules: how versions are ordered, and how specs were built in one notation.

Spack wrote compilers and variants in several ways over the years (specification, section 4). A page
and an index of one mirror show the same spec in the same words, so what the generator of the site's
pages does to a node is done here (specification, section 10).
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

# --- The order of versions (specification, section 5) ---

_TOKEN = re.compile(r"[0-9]+|[^0-9._-]+")
_GIT_VERSION = re.compile(r"(?:git\.)?([^=]+)=(.+)", re.DOTALL)
_SHA = re.compile(r"[0-9a-f]{40}")

_STRING, _INTEGER, _INFINITY = range(3)
_INFINITY_WORDS = ("stable", "nightly", "trunk", "head", "master", "main", "develop")
_PRE_RELEASES = ("alpha", "beta", "rc")

VersionToken = tuple[int, int, str]
"""A token as it ranks: its class, then a number (an integer's length, a word's place), then text.

Integers are compared by length and then by text, so a number of any length costs no arithmetic.
"""


class Version(NamedTuple):
    """A version as it orders: compare with `<`, `==` and `>`.

    The order is section 5 of the specification, which is Spack's own
    (https://spack.readthedocs.io/en/latest/packaging_guide_creation.html, "Version comparison").
    """

    release: tuple[VersionToken, ...]
    pre_release: tuple[int | VersionToken, ...]
    git_ref: tuple[str, ...]

    @property
    def is_branch(self) -> bool:
        """Whether it is the tip of a branch, as `develop` and `main`, and no release."""
        return bool(self.release) and self.release[0][0] == _INFINITY

    @property
    def major(self) -> tuple[VersionToken, ...]:
        """The release up to its first number: `v2` of `v2.1`."""
        numbers = (place for place, token in enumerate(self.release) if token[0] == _INTEGER)
        return self.release[: next(numbers, 0) + 1]


@lru_cache(maxsize=65536)
def parse_version(text: str) -> Version:
    """Return the order of `text`; every text has one, even an empty one."""
    git_ref: tuple[str, ...] = ()
    git = _GIT_VERSION.fullmatch(text)
    if git and (text.startswith("git.") or _SHA.fullmatch(git[1])):
        git_ref = (git[1],)
        text = git[2]
    words = _TOKEN.findall(text)
    pre_release: tuple[int | VersionToken, ...] = (len(_PRE_RELEASES),)
    if len(words) >= 3 and words[-2] in _PRE_RELEASES and words[-1].isdecimal():
        pre_release = (_PRE_RELEASES.index(words[-2]), _token(words[-1]))
        words = words[:-2]
    elif len(words) >= 2 and words[-1] in _PRE_RELEASES:
        pre_release = (_PRE_RELEASES.index(words[-1]),)
        words = words[:-1]
    return Version(tuple(_token(word) for word in words), pre_release, git_ref)


def versions_in_order(versions: Iterable[str]) -> tuple[str, ...]:
    """Return versions once each, the lowest first; of equal ones the first in the alphabet."""
    return tuple(sorted(sorted(set(versions)), key=parse_version))


def older_versions(versions: Iterable[str], before: Iterable[str]) -> set[str]:
    """Return those versions that are below the highest one before; all where none was there."""
    highest = max(map(parse_version, before), default=None)
    return {it for it in versions if highest is None or parse_version(it) < highest}


def _token(word: str) -> VersionToken:
    if "0" <= word[0] <= "9":
        digits = word.lstrip("0")
        return (_INTEGER, len(digits), digits)
    if word in _INFINITY_WORDS:
        return (_INFINITY, _INFINITY_WORDS.index(word), "")
    return (_STRING, 0, word)


# --- How specs were built, in one notation ---

_COMPILER_NAMES = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "intel": "intel-oneapi-compilers-classic",
    "arm": "acfl",
}
"""Old compiler names and the packages that provide them today (specification, section 4)."""


@lru_cache(maxsize=4096)
def canonical_compiler(text: str) -> str:
    """Return today's spelling of a compiler: `oneapi@=2025` is `intel-oneapi-compilers@2025`."""
    name, at, version = text.partition("@")
    return _COMPILER_NAMES.get(name, name) + at + version.removeprefix("=")


def package_of_compiler(compiler: str) -> str:
    """Return the package that a compiler is today: `llvm` for `clang@=14.0.6`."""
    return canonical_compiler(compiler).partition("@")[0]


def is_other_compiler(old: str, new: str) -> bool:
    """Return whether two compilers are different packages; of none nobody knows."""
    names = {package_of_compiler(it) for it in (old, new)}
    return len(names) > 1 and NO_COMPILER not in names


@lru_cache(maxsize=65536)
def canonical_variant(text: str) -> str:
    """Return today's spelling of a variant: `languages:='c,c++'` is `languages=c,c++`."""
    key, equals, value = text.partition("=")
    if not equals:
        return text
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    return f"{key.removesuffix(':')}={value}"


@lru_cache(maxsize=16384)
def canonical_variants(texts: tuple[str, ...]) -> frozenset[str]:
    """Return today's spelling of variants: one object for like ones, as most of a catalog are."""
    return frozenset(map(canonical_variant, texts))


class Configuration(NamedTuple):
    """How a spec was built, in the common notation (specification, section 4)."""

    compiler: str
    os: str
    platform: str
    target: str
    variants: frozenset[str]

    def differences(self, other: "Configuration") -> int:
        """Return in how many fields two configurations differ; a one-sided variant counts one."""
        return (
            (self.compiler != other.compiler)
            + (self.os != other.os)
            + (self.target != other.target)
            + len(self.variants ^ other.variants)
        )

    def words(self) -> tuple[str, ...]:
        """Return all its values in a fixed order; joined by blanks, they decide ties."""
        return (self.compiler, self.os, self.platform, self.target, *sorted(self.variants))


def parse_configuration(
    compiler: str, os: str, platform: str, target: str, variants: tuple[str, ...]
) -> Configuration:
    """Return values as a document writes them in the common notation; any text has a meaning."""
    return Configuration(
        canonical_compiler(compiler), os, platform, target, canonical_variants(variants)
    )


@lru_cache(maxsize=1024)
def target_family(target: str) -> str:
    """Return the family of a target: `x86_64` for `zen4`; an unknown target is its own family."""
    from archspec.cpu import TARGETS  # late: only a diff with unlike configurations needs it

    known = TARGETS.get(target)
    return str(known.family.name) if known is not None else target


def target_families(targets: Collection[str]) -> dict[str, str]:
    """Return the family of each target; a target alone stands for its own."""
    # Without another there is nothing to tell it from, and archspec takes 15 ms to import.
    if len(targets) == 1:
        return {target: target for target in targets}
    return {target: target_family(target) for target in targets}


# --- A node of a document as a spec ---

Scalar = str | bool | int | float | None

NO_COMPILER = "none"
"""What the site's pages write where a spec needs no compiler."""

_FLAGS = frozenset(["cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs"])
"""The parameters of a node that are compiler flags (Spack's `FlagMap.valid_compiler_flags`)."""

COMPILER_WRAPPER = "compiler-wrapper"
"""What a node depends on that is compiled, where compilers are dependencies (since Spack 1)."""

LANGUAGES = ("c", "cxx", "fortran")
"""The virtual packages that a compiler provides, in the order in which one names the compiler."""

_PATCH_LENGTH = 7

_SIGNS = {"True": "+", "true": "+", "TRUE": "+", "False": "~", "false": "~", "FALSE": "~"}
"""Spack takes these words for the booleans, which documents before 2019 have in quotes."""


def write_parameters(parameters: Mapping[str, Scalar | list[Scalar]]) -> tuple[str, ...]:
    """Return a node's parameters as variants and flags, in the order of their names.

    >>> write_parameters({"shared": True, "api": ["v2", "v1"], "cflags": ["-O2", "-g"]})
    ('api:=v1,v2', 'cflags="-O2 -g"', '+shared')
    """
    written = []
    for name in sorted(parameters):
        value = parameters[name]
        if value is True:
            written.append(f"+{name}")
        elif value is False:
            written.append(f"~{name}")
        elif name in _FLAGS:
            # A node without flags has empty lists of them.
            if value:
                flags = " ".join(map(str, value)) if isinstance(value, list) else value
                written.append(f'{name}="{flags}"')
        elif isinstance(value, list):
            length = _PATCH_LENGTH if name == "patches" else None
            written.append(f"{name}:={','.join(sorted([str(item)[:length] for item in value]))}")
        elif value in _SIGNS:
            written.append(f"{_SIGNS[value]}{name}")
        else:
            written.append(f"{name}={value}")
    return tuple(written)


def is_beside_compilers(package: str) -> bool:
    """Return whether a package comes with a compiler that is a dependency: wrapper or runtime."""
    return package == COMPILER_WRAPPER or package.endswith("-runtime")


def is_patches(variant: str) -> bool:
    """Return whether a variant, as `write_parameters` writes it, has the hashes of patches."""
    return variant.startswith(("patches=", "patches:="))


def write_compiler(name: str, version: str) -> str:
    """Return a compiler as pages write it: `gcc@12.3.0`, or its name alone without a version."""
    return f"{name}@{version}" if version else name


# --- The toolchain ---

COMPILERS = (
    *("gcc", "llvm", "llvm-amdgpu", "intel-oneapi-compilers", "intel-oneapi-compilers-classic"),
    *("nvhpc", "aocc", "acfl", "cce", "xl", "fj", "nag", "apple-clang"),
)
MPI = (
    *("openmpi", "mpich", "mvapich", "mvapich2", "mvapich-plus", "intel-oneapi-mpi", "cray-mpich"),
    *("hpcx-mpi", "intel-mpi", "spectrum-mpi", "fujitsu-mpi", "mpt"),
)
BLAS = (
    *("openblas", "intel-oneapi-mkl", "intel-mkl", "amdblis", "amdlibflame", "blis", "libflame"),
    *("netlib-lapack", "nvpl-blas", "nvpl-lapack", "armpl-gcc", "cray-libsci", "essl", "atlas"),
)
TOOLCHAIN = (*COMPILERS, *MPI, *BLAS, "cuda", "hip", "python")
"""What most of a stack stands on, in the order in which it is told.

No node of all of them says what it provides, so the ones that do are listed here.
"""

STOOD_ON = frozenset(TOOLCHAIN).difference(COMPILERS)
"""Those that are dependencies; compilers are so only since Spack 1."""
