# SPDX-License-Identifier: GPL-2.0-only
"""The error of all generators of inputs."""


class InputError(Exception):
    """An input that cannot be generated; the text says what is missing."""
