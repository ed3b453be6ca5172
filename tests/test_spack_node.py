"""How a node is written as the site's pages write a spec."""

import pytest

from snapdiff.spack import Scalar, write_compiler, write_parameters


@pytest.mark.parametrize(
    ("parameters", "written"),
    [
        ({}, ()),
        ({"shared": True, "pic": False}, ("~pic", "+shared")),
        ({"build_type": "Release"}, ("build_type=Release",)),
        ({"languages": ["fortran", "c", "c++"]}, ("languages:=c,c++,fortran",)),
        ({"cuda_arch": ["80"]}, ("cuda_arch:=80",)),
        ({"patches": ["b05b34bffff", "8d71578aaaa"]}, ("patches:=8d71578,b05b34b",)),
        ({"cflags": ["-O2", "-g"]}, ('cflags="-O2 -g"',)),
        ({"cflags": [], "ldlibs": []}, ()),
        ({"cxxflags": "-O2"}, ('cxxflags="-O2"',)),
        ({"shared": "True", "pic": "false"}, ("~pic", "+shared")),
        ({"jobs": 4, "ratio": 0.5, "nothing": None}, ("jobs=4", "nothing=None", "ratio=0.5")),
        ({"sizes": [10, 9]}, ("sizes:=10,9",)),
        ({"backends": ["vulkan-sdk", "cuda-12.9"]}, ("backends:=cuda-12.9,vulkan-sdk",)),
        ({"empty": []}, ("empty:=",)),
    ],
)
def test_parameters_are_written_as_variants_and_flags(
    parameters: dict[str, Scalar | list[Scalar]], written: tuple[str, ...]
) -> None:
    assert write_parameters(parameters) == written


def test_the_order_of_parameters_has_no_meaning() -> None:
    assert write_parameters({"b": True, "a": ["y", "x"]}) == write_parameters(
        {"a": ["x", "y"], "b": True}
    )


def test_a_compiler_without_a_version_has_its_name_alone() -> None:
    assert write_compiler("gcc", "") == "gcc"
