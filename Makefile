# SPDX-License-Identifier: GPL-2.0-only
# Entry points. Everything generated goes to build/; `make help` lists targets.

O		?= build
OUT		:= $(abspath $(O))
S		:= scripts
FLAVOUR		?= vmi
VERSION		?= 6.1
CPUS		?= 2
MEM		?= 256

RUN_BOOT	:= $(S)/boot.py --out $(OUT)

.DEFAULT_GOAL	:= help
.PHONY: help boot kernel menuconfig rom user apply unapply check check-n \
	check-configs check-monitor soak audit lint unit runner conformance reserve escape \
	bench bench-programs bench-quick bench-monitor bench-compare bench-check bench-explain \
	bench-expect clean

# make passes its own variables to kernel builds; those are separate jobs.
MAKEOVERRIDES	:=

help:
	@sed -n 's/^#: //p' $(firstword $(MAKEFILE_LIST))

#: make boot           build and boot the vmi kernel, natively, with the native ROM, in ring 1
#:   KERNEL=<bzImage or name> ROM=<file|native|none> CPUS=n MEM=m APPEND=...
#:                     boot that instead; SHELL_IN_GUEST=1 gives a shell; with
#:                     ROM=monitor STATS=1 prints what it counted, STATS=steady
#:                     what it counted while the tests ran
boot:
	@$(S)/deps boot
ifeq ($(KERNEL),)
	@$(S)/kernel.py --out $(OUT) --flavour vmi --pae y --smp y
endif
	@$(MAKE) --no-print-directory rom user
ifneq ($(SHELL_IN_GUEST),)
	@$(S)/guest_packages $(OUT) busybox-static
	@$(RUN_BOOT) one --shell $(BOOT_ONE)
else ifneq ($(strip $(KERNEL)$(ROM)$(APPEND)$(STATS)$(BOOT_GIVEN)),)
	@$(RUN_BOOT) one $(BOOT_ONE)
else
	@$(RUN_BOOT) rows tests/boot/first/*.ini
endif

BOOT_GIVEN	= $(foreach v,CPUS MEM,$(filter command environment,$(origin $(v))))
BOOT_ONE	= --kernel '$(or $(KERNEL),vmi-pae-smp)' --rom '$(or $(ROM),none)' \
		  --cpus '$(CPUS)' --mem '$(MEM)' --append='$(APPEND)' --stats='$(STATS)'

#: make kernel         FLAVOUR=baseline|paravirt|vmi PAE=y|n SMP=y|n [CONFIG=<file>]
kernel:
	@$(S)/deps kernel
	@$(S)/kernel.py --out $(OUT) --flavour '$(FLAVOUR)' --pae '$(PAE)' --smp '$(SMP)' \
		--config '$(CONFIG)'

#: make menuconfig     edit the configuration of such a kernel
menuconfig:
	@$(S)/deps menuconfig
	@$(S)/kernel.py --out $(OUT) --flavour '$(FLAVOUR)' --pae '$(PAE)' --smp '$(SMP)' \
		--config '$(CONFIG)' --menuconfig

#: make rom            all ROM images, to build/rom
rom:
	@$(S)/deps rom
	@$(MAKE) -s --no-print-directory -C rom O=$(OUT)/rom

#: make user           the program that runs in the guest, to build/user/init
user:
	@$(S)/deps rom
	@$(MAKE) -s --no-print-directory -C tests/user O=$(OUT)/user

#: make apply          TREE=<path>: put the overlay into a stock kernel tree
#: make unapply        TREE=<path>: take it out again (FORCE=1: lose edits made there)
apply unapply:
	$(if $(TREE),,$(error TREE=<path of a Linux source tree> is missing))
	@$(S)/overlay.py $@ '$(TREE)' $(if $(FORCE),--force)

#: make check          everything
check:
	@$(S)/deps check
	@$(S)/check.py --out $(OUT)

MONITOR_ROWS	:= tests/boot/monitor/check.ini tests/boot/monitor/wide.ini

#: make check-monitor  the monitor on all kernels, CPU counts, memory sizes, boot media
check-monitor: rom user
	@$(S)/deps boot
	@$(S)/kernel.py --out $(OUT) --flavour vmi --pae y --smp y
	@$(S)/kernel.py --out $(OUT) --flavour vmi --pae n --smp y
	@$(RUN_BOOT) --label check-monitor rows $(MONITOR_ROWS)

MINUTES		?= 30

#: make soak           [MINUTES=30] [ROM=monitor]: stress-ng in the guest, no warning allowed
soak: rom user
	@$(S)/deps boot
	@$(S)/kernel.py --out $(OUT) --flavour vmi --pae y --smp y
	@$(S)/soak.py --out $(OUT) --minutes '$(MINUTES)' --rom '$(or $(ROM),monitor)'

#: make check-n        PARAVIRT=n must give the stock build's code, object by object
check-n:
	@$(S)/deps kernel
	@$(S)/check_n.py --out $(OUT)

#: make check-configs  link every row of the covering set, and a 64-bit defconfig
check-configs:
	@$(S)/deps kernel
	@$(S)/configs.py --out $(OUT) link

#: make audit          VMLINUX=<files> [MODULES=<dir>] [LIST=1]: sensitive instructions of
#:                     a built kernel that neither an op nor scripts/audit_allow.txt covers
audit:
	$(if $(VMLINUX),,$(error VMLINUX=<vmlinux of a built i386 kernel> is missing))
	@$(S)/deps rom
	@$(S)/audit.py $(if $(LIST),--list) $(if $(MODULES),--modules '$(MODULES)') $(VMLINUX)

#: make lint           shellcheck, pyflakes, checkpatch, sparse, W=1
lint:
	@$(S)/deps lint
	@$(S)/lint.py --out $(OUT)

UNIT		= make --no-print-directory -C tests/unit O=$(OUT) check

#: make unit           host tests of C code
unit:
	@$(S)/deps unit
	@rm -rf $(OUT)/unit/passed
	@$(S)/tally.py unit -- $(UNIT)

#: make runner         host tests of the scripts
runner:
	@$(S)/unittests.py

GUEST		= make --no-print-directory -C tests/guest O=$(OUT)/guest ROMS=$(OUT)/rom
GOOD_ROMS	:= native native-hole native-debug wreck monitor monitor-count

#: make conformance    ROM entries called one by one, without a kernel
#:   ROM=<file>         any other ROM of API 3.0; PARTIAL=1 lets it leave calls out
ifneq ($(and $(ROM),$(filter conformance,$(MAKECMDGOALS))),)
conformance:
	@$(S)/deps boot
	@$(S)/tally.py conformance -- $(GUEST) conformance ROM=$(abspath $(ROM)) PARTIAL=$(PARTIAL)
else
conformance: rom
	@$(S)/deps boot
	@$(S)/tally.py conformance $(foreach r,$(GOOD_ROMS),-- $(GUEST) conformance ROM=$(OUT)/rom/$(r).rom) \
		-- $(GUEST) placed
endif

#: make reserve        the monitor's memory stays hidden, in QEMU and Bochs; ROM=<file>
reserve: rom
	@$(S)/deps boot
	@$(S)/tally.py reserve -- make --no-print-directory -C tests/reserve check \
		O=$(OUT)/reserve ROM='$(or $(ROM),$(OUT)/rom/reserve.rom)' KERNELS=$(OUT)/linux-6.1

#: make escape         guests that try to get at the monitor, in QEMU and Bochs;
#:   ONLY="<case>..." ROM=<file> QUICK=1 (in Bochs only what QEMU cannot show)
escape: rom
	@$(S)/deps boot
	@make -s --no-print-directory -C tests/escape O=$(OUT)/escape ONLY='$(ONLY)' QUICK='$(QUICK)' \
		ROM='$(or $(ROM),$(OUT)/rom/monitor.rom)' check

# BENCH=sites boots nothing; without BENCH everything is measured.
COMMA		:= ,
BENCH_GROUPS	= $(subst $(COMMA), ,$(BENCH))
BENCH_SITES	= $(if $(BENCH_GROUPS),$(filter sites,$(BENCH_GROUPS)),sites)
BENCH_BOOTS	= $(if $(BENCH_GROUPS),$(filter-out sites,$(BENCH_GROUPS)),boots)
BENCH_WORDS	= --out $(OUT) --bench $(filter-out boots,$(BENCH_BOOTS)) --configurations $(KERNELS) \
		  --kernel '$(BENCH_KERNEL)' $(if $(RUNS),--runs '$(RUNS)')

# The 64-bit program is for the peers alone: bench names what is missing then.
bench-programs: rom
	@$(S)/deps boot
	@$(MAKE) -s --no-print-directory -C bench/guest O=$(OUT)/user

#: make bench          overhead in executed instructions, by the published tables, to
#:                     build/bench/report.html, .md and .json; goes on where it stopped
#:   BENCH="micro lmbench macro cpu io net sites"   only these
#:   KERNELS="vmi ..." only these of bench/configurations.ini, and what they are
#:                     compared with; RUNS=n boots of each; BENCH_KERNEL=<bzImage>
bench: $(if $(BENCH_BOOTS),bench-programs)
	@$(S)/deps bench
ifneq ($(BENCH_SITES),)
	@$(MAKE) -s --no-print-directory -C bench/sites O=$(OUT)/sites
	@python3 bench/sites.py --program $(OUT)/sites/sites --out $(OUT)/bench \
		|| $(if $(BENCH_BOOTS),echo "sites: left out",exit 2)
endif
ifneq ($(BENCH_BOOTS),)
	@python3 bench/bench.py $(BENCH_WORDS)
endif

#: make bench-quick    paravirt and vmi on the micro-benchmarks, to build/bench/quick.md
bench-quick: bench-programs
	@$(S)/deps bench
	@python3 bench/bench.py --out $(OUT) --bench micro --configurations paravirt vmi \
		--name quick --label bench-quick

#: make bench-monitor  the vmi kernel on the monitor, and where the monitor's
#:                     instructions go
bench-monitor: bench-programs
	@$(S)/deps bench
	@python3 bench/bench.py --out $(OUT) --bench micro --configurations vmi_monitor --runs 3 \
		--name monitor --label bench-monitor
	@python3 bench/profile.py --program $(OUT)/user/bench --out $(OUT)/bench/profile \
		$(OUT)/linux-6.1/vmi-pae-smp/arch/x86/boot/bzImage $(OUT)/rom/monitor-count.rom

#: make bench-compare  A=report.json B=report.json: which rows moved, is one worse?
bench-compare:
	$(if $(and $(A),$(B)),,$(error A=<report.json> B=<report.json> are missing))
	@python3 bench/moved.py '$(A)' '$(B)'

#: make bench-explain  ROW=segv KERNEL=vmi: where the row's extra instructions go, by
#:                     function, by site and by instruction
#:   BASE=baseline ROM=native|monitor|none|<file> CODE=<functions with code>;
#:                     KERNEL and BASE: of bench/configurations.ini, or a bzImage
bench-explain: bench-programs
	$(if $(and $(ROW),$(KERNEL)),,$(error ROW=<row> KERNEL=<configuration> are missing))
	@python3 bench/explain.py --out $(OUT) --row '$(ROW)' --kernel '$(KERNEL)' \
		--base '$(BASE)' --rom '$(ROM)' $(if $(CODE),--code '$(CODE)')

#: make bench-check    the stable micro-benchmarks against bench/expected.json
#: make bench-expect   write that file anew
bench-check: bench-programs
	@python3 bench/quick.py --out $(OUT)
bench-expect: bench-programs
	@python3 bench/quick.py --out $(OUT) --write

#: make clean          remove build/
clean:
	@rm -rf $(OUT)
