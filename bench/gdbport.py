# SPDX-License-Identifier: GPL-2.0-only
"""The few packets of the gdb remote protocol that stepping needs.

Owns: framing, checksums, breakpoints, resume, step, EIP.
Not here: what is stepped (`explain.py`).
Fails: `GdbError` when the target closes, refuses or stays silent too long.
Source: gdb manual, appendix "GDB Remote Serial Protocol".
"""
import socket
import time

EIP_OFFSET = 8 * 8  # register 8 of 'g' on i386, 8 hex digits each


class GdbError(Exception):
    """The target did not do what was asked."""


class GdbPort:
    """A connection to a stopped target."""

    def __init__(self, path, timeout_s):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        deadline = time.monotonic() + 10
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
        """Run to the next breakpoint."""
        self._send("c")
        self._stopped()

    def eip(self):
        """The next instruction's address."""
        self._send("g")
        regs = self._receive()[EIP_OFFSET:EIP_OFFSET + 8]
        return int.from_bytes(bytes.fromhex(regs), "little")

    def step(self):
        """Execute one instruction; return the next one's address."""
        self._send("s")
        self._stopped()
        return self.eip()
