"""Which image formats are read and written, by the suffix of the file."""

from __future__ import annotations

# Pillow's names. The content must be what the suffix says: Pillow is asked for that decoder alone,
# since it has others that start programs.
FORMATS = {
    ".png": "PNG",
    ".ppm": "PPM",
    ".pgm": "PPM",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".tif": "TIFF",
    ".tiff": "TIFF",
    ".bmp": "BMP",
}
