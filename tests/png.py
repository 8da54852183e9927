# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
"""What is in a PNG file, as far as tests ask."""
import struct
import zlib


def colours_of(path):
    """How many a PNG of 8 bits a channel has."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    channels = {2: 3, 6: 4}[colour]
    assert depth == 8
    lines, stride, seen = zlib.decompress(packed), width * channels, set()
    above = bytearray(stride)
    for row in range(height):
        kind, line = lines[row * (stride + 1)], bytearray(lines[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            left, up = line[i - channels] if i >= channels else 0, above[i]
            corner = above[i - channels] if i >= channels else 0
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[i] = line[i] + (0, left, up, (left + up) // 2, nearest)[kind] & 255
        if row % 8 == 0:
            seen.update(bytes(line[i:i + 3]) for i in range(0, stride, channels))
        above = line
    return len(seen)
