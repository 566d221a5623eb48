# SPDX-License-Identifier: GPL-2.0-only
"""Boot a kernel in QEMU or Bochs and judge what it did; see `boot.py`."""
