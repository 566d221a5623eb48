# SPDX-License-Identifier: GPL-2.0-only
"""The configurations: kernel, ROM and command line, and what each is compared with.

Owns: reading `bench/configurations.ini`, and the user's own kernel.
Not here: what is measured in them (`units.py`), building them (`prepare.py`).
Fails: `ConfigurationError`, one line with section and key.

Keys of a section:
    about       one line for the report
    kernel      O= directory under <out>/linux-6.1, or the path of a bzImage
    build       command that builds it; `--out <out>` is added
    rom         image of <out>/rom without its ending
    append      kernel words
    against     configuration that it is compared with; none: it is a baseline
    noise       yes: the same as `against`, booted with other padding (A/A)
    peer        yes: not ours; left out with a line if it cannot be built
    units       units that it is measured in; none: all
    qemu, cpu   default qemu-system-i386 and qemu32
    program     in <out>/user, instead of the unit's
    published   source in published.csv whose ratios are of such a comparison
    goals       rows: the goals of the rows files count
    goal.<unit>, goal.<unit>.<row>    lowest ratio wanted here
"""
import configparser
import dataclasses
import os

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "configurations.ini")
USER = "yours"          # name of the configuration of BENCH_KERNEL=


class ConfigurationError(Exception):
    """A configuration that cannot be used."""


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One section."""
    name: str
    about: str = ""
    kernel: str = ""
    build: str = ""
    rom: str = ""
    append: str = ""
    against: str = ""
    noise: str = ""
    peer: str = ""
    units: str = ""
    qemu: str = "qemu-system-i386"
    cpu: str = "qemu32"
    program: str = ""
    published: str = ""
    goals: str = ""
    own: tuple = ()         # ((unit or unit.row, ratio), ...)

    def image(self, out):
        """Path of the bzImage."""
        if os.sep in self.kernel:
            return self.kernel
        return os.path.join(out, "linux-6.1", self.kernel, "arch/x86/boot/bzImage")

    def rom_file(self, out):
        """Path of the ROM, or None."""
        return os.path.join(out, "rom", self.rom + ".rom") if self.rom else None

    def measures(self, unit):
        """Is that unit measured here?"""
        return not self.units or unit in self.units.split()

    def goal(self, row):
        """Lowest ratio wanted of a Row, or None."""
        own = dict(self.own)
        for key in (row.unit + "." + row.name, row.unit):
            if key in own:
                return own[key]
        return row.goal if self.goals == "rows" else None


def read_one(name, section):
    """The Configuration of a section."""
    known = {f.name for f in dataclasses.fields(Configuration)} - {"name", "own"}
    words = {k: v for k, v in section.items() if not k.startswith("goal.")}
    unknown = set(words) - known
    if unknown or not words.get("kernel"):
        raise ConfigurationError("configurations.ini: [%s]: %s" % (name, (
            "unknown key " + ", ".join(sorted(unknown))) if unknown else "key kernel is missing"))
    own = []
    for key, text in section.items():
        if key.startswith("goal."):
            try:
                own.append((key[len("goal."):], float(text)))
            except ValueError:
                raise ConfigurationError("configurations.ini: [%s]: %s = %s is no number"
                                         % (name, key, text)) from None
    return Configuration(name, own=tuple(own), **words)


def load(path=PATH, user_kernel=""):
    """{name: Configuration} in the order of the file; user_kernel: a bzImage, added last."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    try:
        with open(path, encoding="utf-8") as f:
            parser.read_file(f)
    except (OSError, configparser.Error) as why:
        raise ConfigurationError(" ".join(str(why).split())) from None
    found = {n: read_one(n, parser[n]) for n in parser.sections()}
    if user_kernel:
        if not os.path.isfile(user_kernel):
            raise ConfigurationError("BENCH_KERNEL=%s: no such file" % user_kernel)
        found[USER] = Configuration(USER, "BENCH_KERNEL", os.path.abspath(user_kernel),
                                    against="baseline")
    for c in found.values():
        if c.against and c.against not in found:
            raise ConfigurationError("configurations.ini: [%s]: against = %s: no such section"
                                     % (c.name, c.against))
    return found


def choose(known, names):
    """The configurations of `names` (none: all), and those they are compared with."""
    unknown = [n for n in names if n not in known]
    if unknown:
        raise ConfigurationError("no configuration %s; there are %s"
                                 % (" ".join(unknown), " ".join(known)))
    wanted = set(names or known)
    while True:
        more = {known[n].against for n in wanted if known[n].against} - wanted
        if not more:
            break
        wanted |= more
    # No table without its noise floor.
    wanted |= {c.name for c in known.values() if c.noise and c.against in wanted}
    return [c for c in known.values() if c.name in wanted]
