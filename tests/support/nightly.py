"""Tests of which `make test` runs some cases, one a mechanism, and `make nightly` the others."""

import os
from collections.abc import Collection, Iterable, Mapping

import pytest
from _pytest.mark import ParameterSet  # pytest has no public name for it


def examples(number: int) -> int:
    """Return how many examples a property is tried with: `make nightly` asks for more of them."""
    return number * int(os.environ.get("SNAPDIFF_EXAMPLES", "1"))


def nightly_but(cases: Iterable[object], daily: Collection[object]) -> list[ParameterSet]:
    """Return cases for `parametrize`; those that are not `daily` are marked `nightly`.

    A mapping has cases by their ids, and `daily` names these.
    """
    named = list(cases.items() if isinstance(cases, Mapping) else ((case, case) for case in cases))
    missing = [name for name in daily if name not in [known for known, _ in named]]
    if missing:
        raise ValueError(f"no cases: {missing}")
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=name if isinstance(cases, Mapping) and isinstance(name, str) else None,
            marks=() if name in daily else pytest.mark.nightly,
        )
        for name, case in named
    ]
