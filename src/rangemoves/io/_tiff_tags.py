"""The directories of a TIFF file, looked at before a decoder believes them."""

from __future__ import annotations

import struct

_ORDERS = {b"II": "<", b"MM": ">"}
_BIG = 43  # the version of files with 64-bit offsets
# Bytes of a value, by the number of its type.
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_SIZES |= {16: 8, 17: 8, 18: 8}


def with_possible_tags(data: bytes) -> bytes:
    """Return a TIFF file as it is, unless a tag claims more values than the file can hold.

    Decoders allocate what a tag claims. Whatever else is damaged they find out themselves.

    Parameters
    ----------
    data : bytes
        All of the file.

    Returns
    -------
    bytes
    """
    order = _ORDERS.get(data[:2])
    if order is None or len(data) < 8:
        return data
    is_big = struct.unpack_from(order + "H", data, 2)[0] == _BIG
    at, offset = (8, order + "Q") if is_big else (4, order + "I")
    length, entry = (order + "Q", order + "HHQQ") if is_big else (order + "H", order + "HHII")
    # Each directory says where the next one is, 0 after the last. Damaged ones may overlap and go
    # in circles, but all of them together have no more entries than the file has room for.
    left = len(data) // struct.calcsize(entry)
    while left > 0 and at + struct.calcsize(offset) <= len(data):
        first = struct.unpack_from(offset, data, at)[0]
        if not 0 < first <= len(data) - struct.calcsize(length):
            break
        count = struct.unpack_from(length, data, first)[0]
        at = first + struct.calcsize(length)
        entries = min(count, left, (len(data) - at) // struct.calcsize(entry))
        left -= max(1, entries)
        for _ in range(entries):
            tag, kind, values, _ = struct.unpack_from(entry, data, at)
            if values * _SIZES.get(kind, 1) > len(data):
                raise ValueError(
                    f"its tag {tag} claims {values} values, more than its {len(data)} bytes can "
                    "hold"
                )
            at += struct.calcsize(entry)
    return data
