"""How many of some sets each member is in, where sets are the bits of integers."""

from collections.abc import Iterable


def count_bits(sets: Iterable[int], size: int) -> list[int]:
    """Return for each of `size` bits in how many of the sets it is.

    The counts are kept as columns: bit i of `columns[k]` is bit k of the count of member i. So a
    set is added to all counts at once, carries and all, in place of one member after the other.

    >>> count_bits([0b011, 0b001, 0b001], 3)
    [3, 1, 0]
    """
    columns: list[int] = []
    for found in sets:
        carry = found
        for place, column in enumerate(columns):
            if not carry:
                break
            columns[place] = column ^ carry
            carry &= column
        if carry:
            columns.append(carry)
    digits = [f"{column:0{size}b}"[::-1] for column in columns]
    return [
        sum((column[bit] == "1") << place for place, column in enumerate(digits))
        for bit in range(size)
    ]
