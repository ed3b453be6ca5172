"""A spec's configuration: compiler, os, platform, target and variants in the common notation."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from snapdiff.spack.notation import canonical_compiler, canonical_variant


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
