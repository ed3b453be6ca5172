"""One spelling for compilers and variants: what Spack wrote in several ways over the years."""

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
