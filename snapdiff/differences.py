"""In which fields two specs differ; the only home of DeepDiff, none of whose objects leave it."""

from snapdiff.changes import Field
from snapdiff.model import Description
from snapdiff.pairing import Configuration, configuration_of

_FIELDS = ("compiler", "os", "platform", "target", "variants")
"""The fields of a configuration, in the order in which a report names them."""

_Values = tuple[str, str, str, str, tuple[str, ...]]
"""The values of these fields, less the variants that both configurations have."""


class Differences:
    """Tells which fields differ; what differs in the same way is compared once."""

    def __init__(self) -> None:
        """Begin with nothing compared."""
        self._by_values: dict[tuple[_Values, _Values], tuple[Field, ...]] = {}
        self._by_identity: dict[tuple[str, str], tuple[Field, ...]] = {}

    def between(self, old: Description, new: Description, *, version: bool) -> tuple[Field, ...]:
        """Return the fields in which two descriptions differ, in the common notation.

        `version` says whether their versions do, which Spack's order decides.
        """
        before, after = configuration_of(old), configuration_of(new)
        identities = before.identity, after.identity
        fields = self._by_identity.get(identities)
        if fields is None:
            fields = self._by_identity[identities] = self._between(before, after)
        if version:
            return (Field("version", old.version, new.version), *fields)
        return fields

    def _between(self, old: Configuration, new: Configuration) -> tuple[Field, ...]:
        if old.identity == new.identity:
            return ()
        pair = _values(old, new), _values(new, old)
        fields = self._by_values.get(pair)
        if fields is None:
            fields = self._by_values[pair] = _compare(*pair)
        return fields


def _values(mine: Configuration, other: Configuration) -> _Values:
    variants = tuple(sorted(mine.variants - other.variants))
    return mine.compiler, mine.os, mine.platform, mine.target, variants


def _compare(old: _Values, new: _Values) -> tuple[Field, ...]:
    from deepdiff import DeepDiff  # late: a day of nothing but rebuilds does not need it

    before: dict[str, str | tuple[str, ...]] = dict(zip(_FIELDS, old, strict=True))
    after: dict[str, str | tuple[str, ...]] = dict(zip(_FIELDS, new, strict=True))
    # A list of variants is one value of many words: DeepDiff need not line its items up.
    differing = DeepDiff(
        before | {"variants": " ".join(old[-1])}, after | {"variants": " ".join(new[-1])}
    ).affected_root_keys
    return tuple(Field(name, before[name], after[name]) for name in _FIELDS if name in differing)
