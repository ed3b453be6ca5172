"""What a piece of Python costs, counted: the same on every machine, however busy it is."""

import functools
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any


def seconds(function: Callable[[], Any]) -> float:
    """Return how many seconds of processor time a function takes, to compare with another's."""
    began = time.process_time()
    function()
    return time.process_time() - began


@functools.cache
def yardstick() -> float:
    """Return how many seconds a fixed piece of work takes: a hundredth on a machine of today."""
    return seconds(lambda: sum(number * number for number in range(150_000)))


def work(function: Callable[[], Any]) -> int:
    """Return how many lines of Python run and how many functions of C are called.

    What one function of C does is not seen: `tests/fuzz/costs.py` measures that.
    """
    steps = 0

    def count_lines(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return count_lines

    def count_calls(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal steps
        steps += event == "c_call"

    before = sys.gettrace(), sys.getprofile()  # that of a run with coverage, for one
    sys.settrace(count_lines)
    sys.setprofile(count_calls)
    try:
        function()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return steps
