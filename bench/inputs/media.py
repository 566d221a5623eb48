# SPDX-License-Identifier: GPL-2.0-only
"""A short film and a piece of sound, for x264 and oggenc.

Owns: `h264ref.y4m` (YUV 4:2:0), `ogg.wav` (16 bit, stereo).
"""
import math
import os
import random
import struct
import wave

WIDTH, HEIGHT, FRAMES = 176, 144, 6
RATE_HZ, SECONDS = 44100, 3


def luma(rng, grain, t):
    """One frame: a gradient, moving discs, and grain."""
    discs = [(80 + 60 * math.sin(t / 5 + d), 70 + 50 * math.cos(t / 7 + 2 * d)) for d in range(3)]
    shift = rng.randrange(len(grain) - WIDTH)
    frame = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            inside = any((x - a) ** 2 + (y - b) ** 2 < 400 for a, b in discs)
            frame.append(16 + (x + y + t) % 120 + 60 * inside + grain[shift + (x * 7 + y) % WIDTH])
    return bytes(frame)


def film(path):
    rng = random.Random(264)
    grain = [rng.randrange(12) for _ in range(4 * WIDTH)]
    chroma = bytes(96 + (x // 4) % 64 for x in range(WIDTH // 2)) * (HEIGHT // 2)
    with open(path, "wb") as f:
        f.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (WIDTH, HEIGHT))
        for t in range(FRAMES):
            f.write(b"FRAME\n" + luma(rng, grain, t) + chroma + chroma)


def sound(path):
    rng = random.Random(1402)
    tones = [(rng.uniform(100, 4000), rng.uniform(0.3, 3)) for _ in range(8)]
    samples = bytearray()
    for at in range(RATE_HZ * SECONDS):
        t = at / RATE_HZ
        value = sum(math.sin(2 * math.pi * hz * t) * math.sin(math.pi * beat * t) ** 2
                    for hz, beat in tones)
        left = int(3000 * value + rng.gauss(0, 200))
        samples += struct.pack("<hh", left, int(left * 0.7 + rng.gauss(0, 100)))
    with wave.open(path, "wb") as f:
        f.setparams((2, 2, RATE_HZ, 0, "NONE", None))
        f.writeframes(bytes(samples))


def fill(place, _out):
    film(os.path.join(place, "h264ref.y4m"))
    sound(os.path.join(place, "ogg.wav"))
