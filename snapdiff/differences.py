"""In which fields two specs differ; the only home of DeepDiff, none of whose objects leave it."""

from functools import lru_cache

from snapdiff.changes import Field
from snapdiff.configuration import Build, Configuration

_MACHINE_FIELDS = ("compiler", "os", "platform", "target")
"""The fields of a configuration that hold one word, in the order in which a report names them."""

_Machine = tuple[str, str, str, str]
"""The values of these fields."""


class Differences:
    """Tells which fields differ; what differs in the same way is compared once."""

    def __init__(self) -> None:
        """Begin with nothing compared."""
        self._by_identity: dict[tuple[str, str], tuple[Field, ...]] = {}

    def between(self, old: Build, new: Build) -> tuple[Field, ...]:
        """Return the fields in which two builds differ, in the common notation.

        Whether their versions do, Spack's order decides.
        """
        before, after = old.configuration, new.configuration
        identities = before.identity, after.identity
        fields = self._by_identity.get(identities)
        if fields is None:
            fields = self._by_identity[identities] = self._between(before, after)
        if old.version != new.version:
            versions = old.description.version, new.description.version
            return (Field("version", *versions), *fields)
        return fields

    def _between(self, old: Configuration, new: Configuration) -> tuple[Field, ...]:
        fields = _compare(_machine(old), _machine(new))
        if old.variants == new.variants:
            return fields
        gone, come = old.variants - new.variants, new.variants - old.variants
        return (*fields, Field("variants", tuple(sorted(gone)), tuple(sorted(come))))


def _machine(configuration: Configuration) -> _Machine:
    return (
        configuration.compiler,
        configuration.os,
        configuration.platform,
        configuration.target,
    )


@lru_cache(maxsize=4096)  # the same few changes of machine come over and over, day after day
def _compare(old: _Machine, new: _Machine) -> tuple[Field, ...]:
    if old == new:
        return ()
    from deepdiff import DeepDiff  # late: a day of nothing but rebuilds does not need it

    before = dict(zip(_MACHINE_FIELDS, old, strict=True))
    after = dict(zip(_MACHINE_FIELDS, new, strict=True))
    differing = DeepDiff(before, after).affected_root_keys
    return tuple(
        Field(name, before[name], after[name]) for name in _MACHINE_FIELDS if name in differing
    )
