"""Write the two example catalogs beside this script: a small build cache, a week apart.

    python snapshots/make.py

Nothing on these pages was ever built. The packages, stacks, versions and variants exist; which of
them meet here, and every hash, is made up so that each kind of change occurs in a natural place.
`develop` and the two functions after it say what a reader of the example finds, package by
package; edit those lines, run the script, and look at `git diff`.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

OLD_DATE = "2025-06-29"
NEW_DATE = "2025-07-06"


# --- Where things are built ---


@dataclass(frozen=True, slots=True)
class Place:
    """The stacks a spec is in (without `root`), what it was built with, and for which machine."""

    stacks: str
    compiler: str
    os: str
    target: str
    platform: str = "linux"


ONEAPI_2025 = "intel-oneapi-compilers@2025.1.0"

# One spec, listed by four stacks at once.
SHARED = Place("e4s e4s-oneapi hep tutorial", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")

E4S = Place("e4s", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")
E4S_ONEAPI = Place("e4s-oneapi", ONEAPI_2025, "ubuntu22.04", "x86_64_v3")
E4S_ROCM = Place("e4s-rocm-external", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")
NEOVERSE = Place("e4s-neoverse-v2", "gcc@11.4.0", "ubuntu22.04", "neoverse_v2")
HEP = Place("hep", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")
ML = Place("ml-linux-x86_64-cpu ml-linux-x86_64-cuda", "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")
ML_CPU = Place("ml-linux-x86_64-cpu", "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")
ML_CUDA = Place("ml-linux-x86_64-cuda", "gcc@13.2.0", "ubuntu24.04", "x86_64_v3")
ML_ARM = Place("ml-linux-aarch64-cpu", "gcc@13.2.0", "ubuntu24.04", "aarch64")
NO_STACK = Place("", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")

# Within the week, one stack moves to a newer system, another to a newer compiler.
VIS = Place("data-vis-sdk", "gcc@11.1.0", "ubuntu20.04", "x86_64_v3")
VIS_MOVED = Place("data-vis-sdk", "gcc@11.1.0", "ubuntu22.04", "x86_64_v3")
TUTORIAL = Place("tutorial", "gcc@11.4.0", "ubuntu22.04", "x86_64_v3")
TUTORIAL_MOVED = Place("tutorial", "gcc@12.3.0", "ubuntu22.04", "x86_64_v3")

# One stack is dropped, one is new.
DROPPED_STACK = Place("radiuss-aws", "gcc@7.3.1", "amzn2", "x86_64_v3")
NEW_STACK = Place("developer-tools-aarch64-linux-gnu", "gcc@13.3.0", "rhel8", "aarch64")


# --- What the example shows ---

CMAKE = "build_system=cmake build_type=Release generator=make ~ipo"
CUDA_80 = "+cuda cuda_arch:=80"
CUDA_90 = "+cuda cuda_arch:=90"
GFX90A = "+rocm amdgpu_target:=gfx90a"


def develop() -> tuple[Package, ...]:
    """The rolling tag, where everything happens that can happen to a spec within a week."""
    return (
        # A new package.
        package(
            "celeritas",
            f"""{CMAKE} ~covfie ~cuda cxxstd=20 ~debug ~doc +geant4 +hepmc3 ~openmp ~perfetto ~rocm
            +root +shared +vecgeom""",
            added("0.6.0", HEP),
            added("0.6.0", HEP, variants=CUDA_80),
        ),
        package(
            "charliecloud",
            "build_system=autotools +cdi ~docs +squashfuse",
            switched("0.40", E4S, E4S_ONEAPI, before="~squashfuse", after="+squashfuse"),
            rebuilt("0.40", NEOVERSE),
        ),
        # One upgrade nearly everywhere, a stack dropped, a stack gained.
        package(
            "cmake",
            "build_system=generic build_type=Release ~doc +ncurses +ownlibs ~qtgui",
            upgraded("3.31.6", "3.31.8", SHARED, NEOVERSE, ML, ML_ARM),
            moved("3.31.6", VIS, VIS_MOVED, upgraded_to="3.31.8"),
            removed("3.31.6", DROPPED_STACK),
            added("3.31.8", NEW_STACK),
        ),
        # Built by no compiler at all.
        package(
            "compiler-wrapper",
            "build_system=generic",
            unchanged("1.0", *without_compiler(SHARED, NEOVERSE, ML, ML_ARM)),
            moved("1.0", *without_compiler(VIS, VIS_MOVED)),
            removed("1.0", *without_compiler(DROPPED_STACK)),
            added("1.0", *without_compiler(NEW_STACK)),
        ),
        # The notation changes and nothing else: a rebuild.
        package(
            "gcc",
            """~binutils +bootstrap build_system=autotools build_type=RelWithDebInfo ~graphite
            languages:='c,c++,fortran' ~mold ~nvptx ~piclibs ~profiled ~strip""",
            rebuilt("12.3.0", TUTORIAL),
            rebuilt("14.2.0", SHARED, variants="languages:='c,c++'"),
            added("14.2.0", NEW_STACK, variants="+binutils languages:='c,c++,fortran,jit' +strip"),
            old_notation=True,
        ),
        package(
            "geant4",
            f"{CMAKE} cxxstd=20 +data ~hdf5 ~motif ~opengl ~qt ~tbb +threads ~vecgeom ~vtk ~x11",
            upgraded("11.3.0", "11.3.2", HEP),
            upgraded("11.3.0", "11.3.2", HEP, variants="+vecgeom"),
        ),
        # Data needs no compiler, and from now on the page says so.
        package(
            "geant4-data",
            "build_system=bundle ~nudexlib ~tendl ~urrpt",
            moved("11.3.0", HEP, *without_compiler(HEP)),
        ),
        # The old version stays beside the new one, for another spec of the same stack.
        package(
            "hdf5",
            f"""{CMAKE} api=default ~cxx ~fortran ~hl ~java ~map +mpi +shared ~subfiling ~szip
            ~threadsafe +tools""",
            upgraded("1.14.5", "1.14.6", E4S, E4S_ONEAPI, NEOVERSE),
            rebuilt("1.14.5", E4S, HEP, variants="+cxx +hl ~mpi"),
            rebuilt("1.14.5", ML_CUDA, times=2),
            unchanged("1.12.3", E4S),
            moved("1.14.5", VIS, VIS_MOVED, variants="+hl"),
            moved("1.14.5", TUTORIAL, TUTORIAL_MOVED),
        ),
        # The notation changes; one spec keeps its hash all the same, one stack is gone.
        package(
            "hwloc",
            """build_system=autotools ~cairo ~cuda ~gl ~level_zero libs:=shared,static ~libudev
            +libxml2 ~nvml ~opencl +pci ~rocm""",
            rebuilt("2.11.1", E4S, E4S_ONEAPI, NEOVERSE),
            rebuilt("2.11.1", ML_CUDA, variants=f"{CUDA_80} +nvml"),
            unchanged("2.11.1", HEP),
            removed("2.11.1", DROPPED_STACK),
            old_notation=True,
        ),
        package(
            "kokkos",
            f"{CMAKE} ~cuda cxxstd=17 ~debug ~examples ~hwloc ~openmp ~pic ~rocm +serial +shared",
            rebuilt("4.6.01", E4S, E4S_ONEAPI, NEOVERSE, variants="+openmp"),
            rebuilt("4.6.01", E4S, variants=CUDA_80),
            rebuilt("4.6.01", E4S_ROCM, variants=GFX90A),
        ),
        # A pre-release becomes the release.
        package(
            "libcatalyst",
            f"{CMAKE} ~fortran +mpi ~python",
            upgraded("2.0.0-rc4", "2.0.0", E4S),
            moved("2.0.0-rc4", VIS, VIS_MOVED, upgraded_to="2.0.0", variants="+python"),
        ),
        # The same upgrade in six stacks, a spec in each.
        package(
            "openmpi",
            """+atomics build_system=autotools ~cuda ~debug fabrics:=none +fortran ~gpfs
            ~internal-hwloc ~internal-libevent ~internal-pmix ~ipv6 ~java ~lustre ~memchecker
            ~openshmem ~rocm romio-filesystem:=none +romio +rsh schedulers:=none ~static
            ~two_level_namespace +vt +wrapper-rpath""",
            upgraded("5.0.7", "5.0.8", E4S, E4S_ROCM, NEOVERSE, HEP, ML_CUDA, TUTORIAL),
        ),
        package(
            "paraview",
            f"""{CMAKE} ~adios2 ~advanced_debug build_edition=canonical ~catalyst ~cdi ~cuda
            +development_files ~examples ~eyedomelighting ~fides ~fortran +hdf5 +kits ~libcatalyst
            +mpi ~nvindex +opengl2 ~openpmd ~pagosa +python ~qt ~raytracing ~rocm +shared ~tbb
            use_vtkm=default ~visitbridge ~x""",
            moved("5.13.3", VIS, VIS_MOVED, variants="+libcatalyst +raytracing"),
            rebuilt("5.13.3", E4S),
            upgraded("5.13.2", "5.13.3", E4S, variants=CUDA_80),
            unchanged("5.13.3", NEOVERSE),
        ),
        package(
            "petsc",
            """~X ~batch build_system=generic ~cgns clanguage=C ~complex ~cuda ~debug +double
            ~exodusii ~fftw +fortran ~giflib +hdf5 ~hpddm ~hwloc +hypre ~int64 ~jpeg ~knl ~kokkos
            ~libpng ~libyaml memalign=none ~memkind +metis ~mkl-pardiso ~mmg ~moab ~mpfr +mpi ~mumps
            ~openmp ~p4est ~parmmg ~ptscotch ~random123 ~rocm ~saws ~scalapack +shared ~strumpack
            ~suite-sparse +superlu-dist ~sycl ~tetgen ~valgrind ~zoltan""",
            upgraded("3.23.3", "3.23.4", E4S, E4S_ONEAPI, NEOVERSE),
            upgraded("3.23.3", "3.23.4", E4S, variants=CUDA_80),
            upgraded("3.23.3", "3.23.4", E4S, variants=CUDA_90),
            rebuilt("3.23.3", E4S_ROCM, variants=GFX90A),
        ),
        # A dropped package.
        package(
            "pruners-ninja",
            "build_system=autotools patches:=d8aba77",
            removed("1.0.1", E4S, NEOVERSE),
        ),
        # Many specs alike in all but the hash, and the notation changes.
        package(
            "py-mpi4py",
            "build_system=python_pip",
            rebuilt("4.0.1", E4S, times=4),
            unchanged("4.0.1", E4S),
            rebuilt("4.0.1", E4S_ONEAPI, NEOVERSE, times=2),
            rebuilt("4.0.1", HEP),
            rebuilt("4.0.1", ML_CUDA),
            moved("3.1.6", VIS, VIS_MOVED),
            old_notation=True,
        ),
        # A newer version is ruled out: py-torch does not build with setuptools 80.
        package(
            "py-setuptools",
            "build_system=generic",
            downgraded("80.9.0", "79.0.1", *without_compiler(ML, ML_ARM)),
            unchanged("80.9.0", *without_compiler(SHARED, NEOVERSE)),
        ),
        package(
            "py-torch",
            """build_system=python_pip ~caffe2 ~cuda ~custom-protobuf ~debug +distributed +fbgemm
            ~gloo +kineto ~metal +mkldnn +mpi +numa +numpy +openmp +qnnpack ~rocm +tensorpipe ~test
            ~ucc +valgrind +xnnpack""",
            upgraded("2.7.0", "2.7.1", ML_CPU, variants="+nnpack", times=2),
            upgraded(
                "2.7.0",
                "2.7.1",
                ML_CUDA,
                variants=f"{CUDA_80} +cudnn +cusparselt +flash_attention +magma +nccl +nnpack",
            ),
            upgraded("2.7.0", "2.7.1", ML_ARM),
        ),
        package(
            "rocblas",
            f"{CMAKE} amdgpu_target:=auto ~asan +tensile",
            upgraded("6.3.3", "6.4.1", E4S),
            rebuilt("6.3.3", E4S, variants="amdgpu_target:=gfx90a"),
            unchanged("6.3.3", E4S_ROCM, variants="amdgpu_target:=gfx90a"),
        ),
        package(
            "root",
            f"""{CMAKE} ~aqua ~arrow ~cuda ~cudnn cxxstd=20 +davix ~dcache +examples +fftw ~fits
            ~fortran +gdml +geom +gminimal ~graphviz +gsl ~http +math +minuit +mlp ~mysql +opengl
            ~postgres ~pythia8 +python ~r +roofit +root7 +rpath ~shadow ~spectrum +sqlite +ssl +tbb
            +threads +tmva +unuran ~vc +vdt ~veccore +webgui +x +xml +xrootd""",
            rebuilt("6.34.08", HEP),
            rebuilt("6.34.08", HEP, variants="+pythia8"),
        ),
        # One of two like specs is gone: removed, but the package stays.
        package(
            "superlu-dist",
            f"{CMAKE} ~cuda ~int64 ~magma ~openmp +parmetis ~rocm +shared",
            rebuilt("9.1.0", E4S),
            removed("9.1.0", E4S),
            rebuilt("9.1.0", E4S, variants=CUDA_80),
            unchanged("9.1.0", E4S_ONEAPI, NEOVERSE),
        ),
        package(
            "trilinos",
            f"""{CMAKE} ~adios2 +amesos +amesos2 +anasazi +aztec +belos ~boost ~complex ~cuda
            cxxstd=17 ~debug +epetra +epetraext ~exodus +explicit_template_instantiation ~float
            +fortran gotype=long_long +hdf5 ~hypre +ifpack +ifpack2 ~intrepid2 +kokkos +ml +mpi
            +muelu ~mumps ~openmp ~python ~rocm +sacado +shared ~stk ~strumpack ~suite-sparse
            ~superlu-dist ~test +tpetra ~trilinoscouplings ~wrapper ~x11 ~zoltan ~zoltan2""",
            rebuilt("16.1.0", E4S, E4S_ONEAPI, NEOVERSE),
            rebuilt("16.1.0", E4S_ROCM, variants=f"{GFX90A} +rocm_rdc"),
            moved("16.1.0", TUTORIAL, TUTORIAL_MOVED),
        ),
        package(
            "vecgeom",
            f"{CMAKE} ~cuda cxxstd=20 +gdml ~geant4 ~root +shared",
            upgraded("1.2.10", "1.2.11", HEP),
        ),
        # Specs that no stack asks for: they count in `root`.
        package(
            "zlib-ng",
            "build_system=autotools +compat +new_strategies +opt +pic +shared",
            unchanged("2.2.4", SHARED, E4S_ONEAPI, NEOVERSE, ML, ML_ARM, NO_STACK),
            added("2.2.4", NO_STACK, variants="~opt"),
            moved("2.2.4", VIS, VIS_MOVED),
            removed("2.2.4", DROPPED_STACK),
            added("2.2.4", NEW_STACK),
        ),
    )


def only_before() -> tuple[Package, ...]:
    """A weekly tag that has been cleaned up since."""
    return (
        package(
            "charliecloud",
            "build_system=autotools ~docs +squashfuse",
            removed("0.39", E4S, E4S_ONEAPI),
        ),
        package(
            "zlib-ng",
            "build_system=autotools +compat +new_strategies +opt +pic +shared",
            removed("2.2.4", SHARED, NEOVERSE),
        ),
    )


def only_after() -> tuple[Package, ...]:
    """The weekly tag of the newer day."""
    return (
        package(
            "charliecloud",
            "build_system=autotools +cdi ~docs +squashfuse",
            added("0.40", E4S, E4S_ONEAPI, NEOVERSE),
        ),
        package(
            "zlib-ng",
            "build_system=autotools +compat +new_strategies +opt +pic +shared",
            added("2.2.4", SHARED, NEOVERSE),
        ),
    )


CATALOG: dict[str, Callable[[], tuple[Package, ...]]] = {
    "develop": develop,
    "develop-2025-05-04": only_before,
    "develop-2025-07-06": only_after,
}


# --- The words that describe it ---


@dataclass(frozen=True, slots=True)
class Build:
    """A spec as described above: `variants` has only what differs from the package's usual ones."""

    version: str
    place: Place
    variants: str


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of one spec; None on a side without it."""

    old: Build | None
    new: Build | None
    keeps_hash: bool = False


Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Package:
    """A package of one tag, on both sides."""

    name: str
    variants: str
    steps: Steps
    old_notation: bool


def package(name: str, variants: str, *stories: Steps, old_notation: bool = False) -> Package:
    """A package with its usual variants and its stories.

    With `old_notation` its older page is spelled as Spack did before 1.0.
    """
    return Package(name, variants, tuple(step for story in stories for step in story), old_notation)


def without_compiler(*places: Place) -> list[Place]:
    """The places, for a package that compiles nothing."""
    return [dataclasses.replace(place, compiler="none") for place in places]


def unchanged(version: str, *places: Place, variants: str = "") -> Steps:
    """A spec in each place, with one hash on both sides."""
    builds = [Build(version, place, variants) for place in places]
    return tuple(Step(build, build, keeps_hash=True) for build in builds)


def rebuilt(version: str, *places: Place, variants: str = "", times: int = 1) -> Steps:
    """As many like specs in each place as `times` says, where only the hash is new."""
    return upgraded(version, version, *places, variants=variants, times=times)


def upgraded(old: str, new: str, *places: Place, variants: str = "", times: int = 1) -> Steps:
    """As many like specs in each place as `times` says, with a new version."""
    step = [Step(Build(old, place, variants), Build(new, place, variants)) for place in places]
    return tuple(step * times)


downgraded = upgraded


def moved(
    version: str, old: Place, new: Place, *, upgraded_to: str = "", variants: str = ""
) -> Steps:
    """A spec that is built with another compiler or for another system from now on."""
    was, becomes = Build(version, old, variants), Build(upgraded_to or version, new, variants)
    return (Step(was, becomes),)


def switched(version: str, *places: Place, before: str, after: str) -> Steps:
    """A spec in each place that changes its variants."""
    return tuple(
        Step(Build(version, place, before), Build(version, place, after)) for place in places
    )


def added(version: str, *places: Place, variants: str = "") -> Steps:
    """A spec in each place that was not there before."""
    return tuple(Step(None, Build(version, place, variants)) for place in places)


def removed(version: str, *places: Place, variants: str = "") -> Steps:
    """A spec in each place that is not there any more."""
    return tuple(Step(Build(version, place, variants), None) for place in places)


# --- Specs and pages ---


@dataclass(frozen=True, slots=True)
class Spec:
    """An entry of a page."""

    hash: str
    version: str
    compiler: str
    os: str
    platform: str
    target: str
    variants: tuple[str, ...]
    stacks: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The entry as the catalog spells it."""
        fields = {**dataclasses.asdict(self), "size": "-", "versions": [self.version]}
        del fields["version"]
        return fields


def two_pages(tag: str, told: Package) -> tuple[list[Spec], list[Spec]]:
    """The package's specs on the older and on the newer side, each sorted by hash."""
    old: list[Spec] = []
    new: list[Spec] = []
    count: Counter[str] = Counter()
    for step in told.steps:
        was = step.old and spec_of(step.old, told, f"{tag} {OLD_DATE}", count)
        if was:
            old.append(in_old_notation(was) if told.old_notation else was)
        if was and step.keeps_hash:
            new.append(was)
        elif step.new:
            new.append(spec_of(step.new, told, f"{tag} {NEW_DATE}", count))
    return sorted(old, key=lambda spec: spec.hash), sorted(new, key=lambda spec: spec.hash)


def spec_of(build: Build, told: Package, salt: str, count: Counter[str]) -> Spec:
    """The spec, with a hash of its own even where `count` has met one like it."""
    place = build.place
    spec = Spec(
        hash="",
        version=build.version,
        compiler=place.compiler,
        os=place.os,
        platform=place.platform,
        target=place.target,
        variants=merged_variants(told.variants, build.variants),
        stacks=tuple(sorted([*place.stacks.split(), "root"])),
    )
    text = f"{salt} {told.name} {json.dumps(spec.as_json(), sort_keys=True)}"
    count[text] += 1
    digest = hashlib.sha256(f"{text} {count[text]}".encode()).digest()
    return dataclasses.replace(spec, hash=base64.b32encode(digest).decode().lower()[:32])


def merged_variants(usual: str, different: str) -> tuple[str, ...]:
    """The usual variants with the different ones in their place, sorted by name."""
    by_name = {variant_name(variant): variant for variant in [*usual.split(), *different.split()]}
    return tuple(by_name[name] for name in sorted(by_name))


def variant_name(variant: str) -> str:
    """`mpi` of `+mpi` and `~mpi`, `cuda_arch` of `cuda_arch:=80`."""
    return variant.lstrip("+~").partition("=")[0].removesuffix(":")


def in_old_notation(spec: Spec) -> Spec:
    """The same spec, hash included, as pages spelled it before Spack 1.0."""
    name, at, version = spec.compiler.partition("@")
    name = {"intel-oneapi-compilers": "oneapi"}.get(name, name)
    return dataclasses.replace(
        spec,
        compiler=f"{name}@={version}" if at else name,
        variants=tuple(variant.replace(":=", "=") for variant in spec.variants),
    )


def page_text(tag: str, name: str, specs: list[Spec]) -> str:
    """The page in the layout of the public catalog, which ends without a newline."""
    return (
        "---\n"
        f'title: "{name}"\n'
        "layout: cache\n"
        f"categories: [package, {tag}]\n"
        f"meta: {json.dumps(meta(specs), sort_keys=True)}\n"
        f"spec_details: {json.dumps([spec.as_json() for spec in specs], sort_keys=True)}\n"
        "---"
    )


def meta(specs: list[Spec]) -> dict[str, object]:
    """What a page says of its specs as a whole."""
    by_stack = Counter(stack for spec in specs for stack in spec.stacks)
    return {
        "compilers": distinct(spec.compiler for spec in specs),
        "num_specs": len(specs),
        "num_specs_by_stack": by_stack,
        "oss": distinct(spec.os for spec in specs),
        "platforms": distinct(spec.platform for spec in specs),
        "stacks": distinct(by_stack),
        "targets": distinct(spec.target for spec in specs),
        "versions": distinct(spec.version for spec in specs),
    }


def distinct(values: Iterable[str]) -> list[str]:
    """Every value once, sorted as text."""
    return sorted(set(values))


# --- Files ---


def write_catalog(folder: Path, pages: dict[str, str]) -> None:
    """Leave in `folder` these pages, by path, and no other."""
    for path, text in pages.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    for stale in sorted(folder.rglob("*"), reverse=True):
        if stale.is_dir():
            if not any(stale.iterdir()):
                stale.rmdir()
        elif stale.name == "specs.md" and stale.relative_to(folder).as_posix() not in pages:
            stale.unlink()


def main() -> None:
    """Write both catalogs and say how large they are."""
    sides: dict[str, dict[str, str]] = {OLD_DATE: {}, NEW_DATE: {}}
    sizes: Counter[str] = Counter()
    for tag, packages in CATALOG.items():
        for told in packages():
            for date, specs in zip(sides, two_pages(tag, told), strict=True):
                if specs:
                    path = f"_cache/{tag}/{told.name}/specs.md"
                    sides[date][path] = page_text(tag, told.name, specs)
                    sizes[date] += len(specs)
    for date, pages in sides.items():
        write_catalog(Path(__file__).resolve().parent / date, pages)
        print(f"{date}: {len(pages)} pages, {sizes[date]} specs")


if __name__ == "__main__":
    main()
