"""What a record says in the terms in which specs are compared: a version and a configuration."""

from functools import lru_cache
from typing import NamedTuple

from snapdiff.model import Description
from snapdiff.notation import canonical_compiler, canonical_variant
from snapdiff.version import Version, parse_version


class Configuration(NamedTuple):
    """How a spec was built, in the common notation (contract, section 4).

    `text` is the form in which ties are decided; `identity` is equal for equal configurations only.
    """

    identity: str
    text: str
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
        compiler = _canonical_compiler(description.compiler)
        variants = frozenset(map(_canonical_variant, description.variants))
        os, platform, target = description.os, description.platform, description.target
        parts = [compiler, os, platform, target, *sorted(variants)]
        self.configuration = Configuration(
            "\0".join(parts), " ".join(parts), compiler, os, platform, target, variants
        )
