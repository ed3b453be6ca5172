"""The vocabulary of generated catalogs: real stacks, machines, packages and build systems.

The combinations of stack, compiler, operating system and target are those seen in pages of the
public catalog, and so are the spellings. Nothing here is drawn at random; `catalog` does that.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a spec was built: its stacks (without `root`), compiler and machine."""

    stacks: tuple[str, ...]
    compiler: str
    os: str
    platform: str
    target: str


def _words(text: str) -> tuple[str, ...]:
    """The words of a text, in its order."""
    return tuple(text.split())


def _place(stacks: str, compiler: str, os: str, target: str) -> Place:
    """A place from a blank-separated list of stacks; only Apple's compiler runs on darwin."""
    platform = "darwin" if compiler.startswith("apple-clang") else "linux"
    return Place(_words(stacks), compiler, os, platform, target)


ML_X86 = "ml-linux-x86_64-cpu ml-linux-x86_64-cuda"
ML_ARM = "ml-linux-aarch64-cpu ml-linux-aarch64-cuda"
ONEAPI = "intel-oneapi-compilers@2025.1.0"

# (weight, place): about how often each was met in real pages of `develop`. The last one has no
# stack but `root`.
PLACES: tuple[tuple[int, Place], ...] = (
    (110, _place("e4s", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")),
    (60, _place(ML_X86, "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")),
    (54, _place(ML_ARM, "gcc@13.2.0", "ubuntu24.04", "aarch64")),
    (50, _place("ml-linux-x86_64-rocm", "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")),
    (30, _place("ml-linux-x86_64-cpu", "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")),
    (30, _place("ml-darwin-aarch64-mps", "apple-clang@16.0.0", "sequoia", "aarch64")),
    (36, _place("e4s-oneapi", ONEAPI, "ubuntu22.04", "x86_64_v3")),
    (28, _place("e4s-neoverse-v2", "gcc@11.4.0", "ubuntu22.04", "neoverse_v2")),
    (22, _place("ml-linux-x86_64-cuda", "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")),
    (20, _place("ml-linux-aarch64-cuda", "gcc@13.2.0", "ubuntu24.04", "aarch64")),
    (16, _place("ml-linux-aarch64-cpu", "gcc@13.2.0", "ubuntu24.04", "aarch64")),
    (22, _place("data-vis-sdk", "gcc@11.1.0", "ubuntu20.04", "x86_64_v3")),
    (14, _place("hep", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")),
    (12, _place("e4s-neoverse_v1", "gcc@11.4.0", "ubuntu22.04", "neoverse_v1")),
    (10, _place("e4s-rocm-external", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")),
    (8, _place("e4s-cray-rhel", "cce@18.0.0", "rhel8", "x86_64_v3")),
    (8, _place("build_systems radiuss", "gcc@7.5.0", "ubuntu18.04", "x86_64_v3")),
    (8, _place("tutorial", "gcc@12.3.0", "ubuntu22.04", "x86_64_v3")),
    (6, _place("tutorial", "llvm@16.0.6", "ubuntu22.04", "x86_64_v3")),
    (6, _place("radiuss-aws", "gcc@7.3.1", "amzn2", "x86_64_v3")),
    (6, _place("radiuss-aws-aarch64", "gcc@7.3.1", "amzn2", "neoverse_v2")),
    (5, _place("aws-pcluster-x86_64_v4", "gcc@12.4.0", "amzn2", "x86_64_v4")),
    (5, _place("aws-pcluster-neoverse_v1", "gcc@12.4.0", "amzn2", "neoverse_v1")),
    (4, _place("developer-tools-x86_64_v3-linux-gnu", "gcc@10.5.0", "centos7", "x86_64_v3")),
    (4, _place("developer-tools-aarch64-linux-gnu", "gcc@13.3.0", "rhel8", "aarch64")),
    (4, _place("e4s e4s-oneapi hep", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")),
    (2, _place("", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")),
)

# What a rebuild of the site may turn a compiler into.
NEWER_COMPILERS = {
    "gcc@11.4.0": "gcc@12.3.0",
    "gcc@13.2.0": "gcc@13.3.0",
    "apple-clang@16.0.0": "apple-clang@17.0.0",
    ONEAPI: "intel-oneapi-compilers@2025.2.0",
}

CMAKE = ("build_system=cmake", "build_type=Release", "generator=make", "~ipo")

# (weight, build system, variants every spec has, variants a package may have some of): most pages
# hold `py-` packages.
BUILD_SYSTEMS: tuple[tuple[int, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (45, "python", ("build_system=python_pip",), ("~docs", "+numpy", "~test", "patches=873745d")),
    (
        25,
        "cmake",
        CMAKE,
        (
            *("~asan", "~benchmarks", "~cuda", "~docs", "+examples", "+fortran", "~int64", "+mpi"),
            *("~openmp", "~python", "~rocm", "+shared", "~tests", "cxxstd=17", "patches=c8951b4"),
        ),
    ),
    (
        20,
        "autotools",
        ("build_system=autotools",),
        (
            *("~debug", "~docs", "+nls", "~pic", "+shared", "+ssl", "~static", "+threads"),
            *("libs:='shared,static'", "patches=df65e7a"),
        ),
    ),
    (6, "makefile", ("build_system=makefile",), ("+openmp", "~pic", "+shared", "precision=double")),
    (4, "generic", ("build_system=generic",), ()),
)

# Real packages come first, so that small catalogs are made of names a reader knows; the rest are
# `<stem>-<suffix>`.
PACKAGES: tuple[str, ...] = _words(
    """
    py-numpy hdf5 openmpi py-setuptools cmake zlib-ng gmake gcc-runtime python openblas py-wheel
    py-pip perl curl openssl libxml2 ncurses pkgconf hwloc glibc xz bzip2 zstd readline sqlite
    py-cython py-scipy py-mpi4py mpich petsc trilinos kokkos hypre boost eigen fftw netcdf-c
    netcdf-fortran parallel-netcdf adios2 ascent vtk vtk-m paraview visit mfem sundials superlu-dist
    slepc strumpack tau papi hpctoolkit raja umpire caliper amrex py-torch py-tensorflow
    py-ml-dtypes rocblas hipblas rccl llvm root geant4
    """
)
STEMS: tuple[str, ...] = _words(
    """
    py-argo py-data py-flow py-graph py-image py-jupyter py-mesh py-sphinx py-test py-web r-model
    r-plot r-stat perl-io perl-text lib fast open mini ecp mpi cuda hip geo bio astro sim solver
    tensor grid
    """
)
SUFFIXES: tuple[str, ...] = _words(
    """
    core utils tools io api client config cache types parser bindings backend kernels matrix vector
    tree index stats fields format stream runtime bench plot solve queue log lite hub kit
    """
)
