# SPDX-License-Identifier: GPL-2.0-only
"""The few packets of the gdb remote protocol that tracing needs.

Owns: framing, checksums, breakpoints, resume, step, registers, monitor commands.
Not here: what is traced (`trace.py`).
Fails: `GdbError` when the target closes, refuses or stays silent too long.
Source: gdb manual, appendix "GDB Remote Serial Protocol".
"""
import socket
import time

REGISTERS = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip")
CONNECT_S = 10


class GdbError(Exception):
    """The target did not do what was asked."""


class GdbPort:
    """A connection to a stopped target."""

    def __init__(self, path, timeout_s):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        deadline = time.monotonic() + CONNECT_S
        while True:
            try:
                self.sock.connect(path)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.sock.settimeout(timeout_s)
        self.buf = b""

    def _byte(self):
        if not self.buf:
            try:
                self.buf = self.sock.recv(65536)
            except socket.timeout as e:
                raise GdbError("no stop in time") from e
            if not self.buf:
                raise GdbError("the target ended")
        byte, self.buf = self.buf[:1], self.buf[1:]
        return byte

    def _send(self, text):
        data = text.encode()
        self.sock.sendall(b"$" + data + b"#%02x" % (sum(data) % 256))

    def _receive(self):
        while self._byte() != b"$":
            pass
        data = b""
        while (byte := self._byte()) != b"#":
            data += byte
        self._byte()
        self._byte()
        self.sock.sendall(b"+")
        return data.decode()

    def _stopped(self):
        reply = self._receive()
        if reply[:1] not in ("T", "S"):
            raise GdbError(f"the target did not stop but said '{reply}'")

    def breakpoint(self, address, on):
        """Set or clear a software breakpoint."""
        self._send(f"{'Z' if on else 'z'}0,{address:x},1")
        reply = self._receive()
        if reply != "OK":
            raise GdbError(f"breakpoint at {address:#x} refused: '{reply}'")

    def resume(self):
        """Run to the next breakpoint; one at the current address stops again."""
        self._send("c")
        self._stopped()

    def run_out(self):
        """Run on; the next call must be `interrupt()`."""
        self._send("c")

    def interrupt(self):
        """Stop what runs."""
        self.sock.sendall(b"\x03")
        self._stopped()

    def register(self, name):
        """A register's value: one of `REGISTERS`, or a system register's name."""
        self._send("g")
        at = REGISTERS.index(name) * 8
        return int.from_bytes(bytes.fromhex(self._receive()[at:at + 8]), "little")

    def monitor(self, command):
        """What the emulator's own monitor answers to a command."""
        self._send("qRcmd," + command.encode().hex())
        said = ""
        while (reply := self._receive()) != "OK":
            if reply[:1] != "O":
                raise GdbError(f"monitor command '{command}' refused: '{reply}'")
            said += bytes.fromhex(reply[1:]).decode(errors="replace")
        return said
