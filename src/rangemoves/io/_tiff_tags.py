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
    # Each directory begins with how many entries it has, and ends with where the next one is.
    forms = ("Q", "Q", "HHQQ") if is_big else ("I", "H", "HHII")
    place, count, entry = (struct.Struct(order + form) for form in forms)
    at = 8 if is_big else 4
    # After the last one that is 0. Damaged ones may overlap and go in circles, but all of them
    # together have no more entries than the file has room for.
    left = len(data) // entry.size
    while left > 0 and at + place.size <= len(data):
        at = place.unpack_from(data, at)[0]
        if not 0 < at <= len(data) - count.size:
            break
        entries = count.unpack_from(data, at)[0]
        at += count.size
        entries = min(entries, left, (len(data) - at) // entry.size)
        left -= max(1, entries)
        for _ in range(entries):
            tag, kind, values, _ = entry.unpack_from(data, at)
            if values * _SIZES.get(kind, 1) > len(data):
                raise ValueError(
                    f"its tag {tag} claims {values} values, more than its {len(data)} bytes can "
                    "hold"
                )
            at += entry.size
    return data
