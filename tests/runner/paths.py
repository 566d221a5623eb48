# SPDX-License-Identifier: GPL-2.0-only
"""Makes the modules of `scripts/` importable for the tests."""
import os
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "scripts"))
