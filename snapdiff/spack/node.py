"""How a node of a document is written as a spec: its variants, flags and compiler.

A page and an index of one mirror show the same spec in the same words, so what the generator of
the site's pages does to a node is done here (docs/specification.md, section 10).
"""

from collections.abc import Iterable, Mapping

Scalar = str | bool | int | float | None

NO_COMPILER = "none"
"""What the site's pages write where a spec needs no compiler."""

_FLAGS = frozenset(["cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs"])
"""The parameters of a node that are compiler flags (Spack's `FlagMap.valid_compiler_flags`)."""

LANGUAGES = ("c", "cxx", "fortran")
"""The virtual packages that a compiler provides, in the order in which one names the compiler."""

_PATCH_LENGTH = 7

_TRUE = frozenset(["True", "true", "TRUE"])
_FALSE = frozenset(["False", "false", "FALSE"])
"""Spack takes these words for the booleans, which documents before 2019 have in quotes."""


Provider = tuple[str, str, tuple[str, ...]]
"""A dependency as far as it may be the compiler: its name, its hash, the virtuals it provides."""


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
        elif value in _TRUE:
            written.append(f"+{name}")
        elif value in _FALSE:
            written.append(f"~{name}")
        else:
            written.append(f"{name}={value}")
    return tuple(written)


def write_compiler(name: str, version: str) -> str:
    """Return a compiler as pages write it; one without a version has its name alone.

    >>> write_compiler("gcc", "12.3.0")
    'gcc@12.3.0'
    """
    return f"{name}@{version}" if version else name


def find_compiler(providers: Iterable[Provider]) -> Provider | None:
    """Return the dependency that is a spec's compiler, or None where none provides a language.

    It is the one that provides `c`, else `cxx`, else `fortran`. The order of the dependencies has
    no meaning: where two provide the same, the first by name and hash is taken.
    """
    candidates = sorted(providers)
    for language in LANGUAGES:
        for provider in candidates:
            if language in provider[2]:
                return provider
    return None
