# SPDX-License-Identifier: GPL-2.0-only
"""Boot a kernel in QEMU and judge what it did; see `boot.py`."""
