"""What a record says in the terms in which specs are compared: a version and a configuration."""

from functools import lru_cache
from typing import NamedTuple

from snapdiff.model import Description
from snapdiff.spack.notation import canonical_compiler, canonical_variant
from snapdiff.spack.version import Version, parse_version


class Configuration(NamedTuple):
    """How a spec was built, in the common notation (contract, section 4)."""

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

    def words(self) -> list[str]:
        """Return all that it says in an order of its own: ties are decided by these as one text."""
        return [self.compiler, self.os, self.platform, self.target, *sorted(self.variants)]


_canonical_variant = lru_cache(maxsize=65536)(canonical_variant)
_canonical_compiler = lru_cache(maxsize=4096)(canonical_compiler)


class Build:
    """A description, read: what many specs of a package have in common, worked out once.

    Two builds are equal only if they are the same object.
    """

    __slots__ = ("configuration", "description", "version")

    def __init__(self, description: Description) -> None:
        """Read a description; any text in it has a meaning."""
        self.description = description
        self.version: Version = parse_version(description.version)
        self.configuration = Configuration(
            _canonical_compiler(description.compiler),
            description.os,
            description.platform,
            description.target,
            frozenset(map(_canonical_variant, description.variants)),
        )
