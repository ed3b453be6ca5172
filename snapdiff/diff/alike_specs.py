"""Specs that agree in version and configuration: pairing treats them as one group."""

from collections.abc import Hashable, Iterable, Mapping

from snapdiff.model import Build
from snapdiff.spack.configuration import Configuration
from snapdiff.spack.version import Token, Version


class AlikeSpecs:
    """The specs of one version and configuration that have no partner yet, lowest hash first.

    Of their builds, which agree in both, one says what both are.
    """

    __slots__ = ("build", "family", "hashes")

    def __init__(self, build: Build, family: str, hashes: list[str]) -> None:
        """Take a build, the family of its target, and the hashes."""
        self.build = build
        self.family = family
        self.hashes = hashes

    def version_and_configuration(self) -> Hashable:
        """What agrees in the first pass."""
        return self.build.version, self.build.configuration

    def same_configuration(self) -> Hashable:
        """What agrees in the second pass."""
        return self.build.configuration

    def same_version(self) -> Hashable:
        """What agrees in the third pass."""
        return self.build.version, self.machine()

    def machine(self) -> Hashable:
        """What agrees in every pair: the platform and the target's family."""
        return self.build.platform, self.family

    def release(self) -> tuple[Token, ...]:
        """Return the version's tokens that are compared one by one."""
        return self.build.version.release


def group_alike(
    side: Mapping[Build, Iterable[str]], families: Mapping[str, str]
) -> list[AlikeSpecs]:
    """Return specs, given as the hashes of each build, in groups of alike.

    `families` has the family of each target.
    """
    if len(side) == 1:  # as mostly: what it is need not be parsed
        return [AlikeSpecs(one, families[one.target], sorted(side[one])) for one in side]
    groups: dict[tuple[Version, Configuration], AlikeSpecs] = {}
    for build, hashes in side.items():
        key = build.version, build.configuration
        if key not in groups:
            groups[key] = AlikeSpecs(build, families[build.target], [])
        groups[key].hashes += hashes
    for group in groups.values():
        group.hashes.sort()
    return list(groups.values())
