"""How specs were built: configurations in one notation, and which targets are of one family.

Spack wrote compilers and variants in several ways over the years (specification, section 4).
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

_COMPILER_NAMES = {
    "clang": "llvm",
    "oneapi": "intel-oneapi-compilers",
    "rocmcc": "llvm-amdgpu",
    "intel": "intel-oneapi-compilers-classic",
    "arm": "acfl",
}
"""Old compiler names and the packages that provide them today (specification, section 4)."""


def canonical_compiler(text: str) -> str:
    """Return today's spelling of a compiler: `oneapi@=2025` is `intel-oneapi-compilers@2025`."""
    name, at, version = text.partition("@")
    return _COMPILER_NAMES.get(name, name) + at + version.removeprefix("=")


def canonical_variant(text: str) -> str:
    """Return today's spelling of a variant: `languages:='c,c++'` is `languages=c,c++`."""
    key, equals, value = text.partition("=")
    if not equals:
        return text
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    return f"{key.removesuffix(':')}={value}"


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


_canonical_variant = lru_cache(maxsize=65536)(canonical_variant)
_canonical_compiler = lru_cache(maxsize=4096)(canonical_compiler)


def parse_configuration(
    compiler: str, os: str, platform: str, target: str, variants: Iterable[str]
) -> Configuration:
    """Return values as a document writes them in the common notation; any text has a meaning."""
    return Configuration(
        _canonical_compiler(compiler),
        os,
        platform,
        target,
        frozenset(map(_canonical_variant, variants)),
    )


@lru_cache(maxsize=1024)
def target_family(target: str) -> str:
    """Return the family of a target: `x86_64` for `zen4`; an unknown target is its own family."""
    from archspec.cpu import TARGETS  # late: only a diff with unlike configurations needs it

    known = TARGETS.get(target)
    return str(known.family.name) if known is not None else target


def target_families(targets: Collection[str]) -> dict[str, str]:
    """Return the family of each target; a target alone stands for its own.

    Without another there is nothing to tell it from, and archspec takes 15 ms to import.
    """
    if len(targets) == 1:
        return {target: target for target in targets}
    return {target: target_family(target) for target in targets}
