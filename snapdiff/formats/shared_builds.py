"""Builds of documents with dependencies: like specs share one object."""

from snapdiff.model import Build


class SharedBuilds:
    """Makes builds, so that like specs of all documents of a reader share one object."""

    def __init__(self) -> None:
        """Begin with none."""
        self._known: dict[tuple[object, ...], Build] = {}

    def build(
        self,
        version: str,
        compiler: str,
        os: str,
        platform: str,
        target: str,
        variants: tuple[str, ...],
        stacks: frozenset[str],
        *,
        explicit: bool = False,
        external: bool = False,
    ) -> Build:
        """Return the build of these values."""
        key = (version, compiler, os, platform, target, variants, stacks, explicit, external)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Build(*key[:7], explicit=explicit, external=external)
        return found
