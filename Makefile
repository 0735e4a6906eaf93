# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# cxr: the RoCE driver, the emulated adapter and the tests. `make help` lists the targets.

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL ?= 6.12
KERNELS ?= 6.12
DRIVER ?= $(if $(HCA),$(HCA),cxr)
TOP := $(CURDIR)
# (Debian's 6.1 has another word in include/config/kernel.release.)
KREL = $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null),$(shell uname -r))
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y dkms.conf)
PREFIX ?= /usr/local
MANDIR ?= $(PREFIX)/share/man
UDEVDIR ?= $(PREFIX)/lib/udev/rules.d
EXAMPLEDIR ?= $(PREFIX)/share/doc/cxr-tools/examples
# Anybody can use the first, which only show things; the others want root, or most of what they do does.
USER_TOOLS := show_gids ibdev2netdev show_counters dat_conf_gen
ROOT_TOOLS := cma_roce_mode cma_roce_tos compat_gid_gen cxr-qos cxr-bind cxr-report rxe-fallback
TOOLS := $(USER_TOOLS) $(ROOT_TOOLS)
UDEV_RULE := 76-rdma-cxr.rules
EMULATOR := cxemu cxctl
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
UNITDIR ?= $(PREFIX)/lib/systemd/system

# What the modules are built from, and what a release holds
MODULE_SOURCES := Kbuild dkms.conf LICENSE include drivers
DKMS_SOURCE = $(DESTDIR)/usr/src/cxr-$(VERSION)
RELEASE := .ci .gitignore Documentation Kbuild LICENSE Makefile README.md debian dkms.conf drivers emulator include packaging scripts selftests
BUILT := *.o *.ko *.mod *.mod.c .*.cmd __pycache__
CHECK = KERNELS="$(KERNELS)" DRIVER="$(DRIVER)" TESTS="$(TESTS)" ONLY="$(ONLY)" CARD="$(CARD)" IOMMU="$(IOMMU)" LONG="$(LONG)" SEED="$(SEED)" SHUFFLE="$(SHUFFLE)" TURN="$(TURN)" BUILDS="$(BUILDS)" scripts/check

all: headers
	$(MAKE) -C $(KDIR) M=$(TOP) W=1 modules

headers:
	@test -e $(KDIR)/Makefile || { \
		echo "There are no kernel headers in $(KDIR)." >&2; \
		echo "Install those of the running kernel (Debian: apt install linux-headers-$$(uname -r))," >&2; \
		echo "name another folder with KDIR=, or build for a kernel of the toolbox: make modules KERNEL=6.12" >&2; \
		exit 1; }

help:
	@echo "make                    build the modules for the running kernel (KDIR=: for another)"
	@echo "make demo               from nothing to RDMA over RoCE v1 and v2 between two virtual machines"
	@echo "make vm                 a shell in a guest with an adapter; a second guest is its peer"
	@echo "make check              run all tests; the last line is the result"
	@echo "   KERNELS=\"6.1 6.12 7.2\"  kernels for the VM tests, also: debug, kcsan (default 6.12)"
	@echo "   DRIVER=mlx5            driver under test: cxr (default) or mlx5 (in-tree)"
	@echo "   HCA=rxe                the generic tests on Soft-RoCE, without the emulated adapter"
	@echo "   ONLY='lag.survives.*'  only tests with these ids, with their set-up (ids: make check-list)"
	@echo "   TESTS=\"probe.sh\"       only these VM test scripts"
	@echo "   CARD=cx6               another card: cx4 cx4lx cx5 cx6 cx6dx cx7, or its VFs: cx6-vf"
	@echo "   IOMMU=1                guests with an IOMMU in strict mode"
	@echo "   LONG=1                 run random and endurance tests at full length"
	@echo "   SEED=7                 seed of random tests, to repeat a run"
	@echo "   SHUFFLE=7              shuffle the tests of each script, with this seed"
	@echo "   TURN=1/3               a third of the scripts that take turns, and all that do not"
	@echo "   PARTS=\"host vm\"        some of host, build, package, vm"
	@echo "   JOBS=1                 sets of virtual machines run at once (default: one per CPU, at most 4)"
	@echo "make check-programs     run UCX, MPI, NFS and other programs with both drivers, and compare"
	@echo "make check-cards        run the core tests on each card and on its VFs"
	@echo "make check-changed      run the tests affected by changes since BASE= (default: the merge base with upstream)"
	@echo "make check-all          run the whole matrix: 6.1, 6.12, 7.2 with both drivers, and some tests on the debug kernel"
	@echo "make check-list         list the tests: id and description"
	@echo "make check-host         run the tests that need no virtual machine"
	@echo "make check-package      install and uninstall the release in a copy of the toolbox; LONG=1: for each kernel"
	@echo "make docs               update the lists in Documentation from the tables in the code and the tests"
	@echo "make lint               run checkpatch, sparse, locks by clang, W=1, shellcheck, pylint, docutils, codespell, kernel-doc"
	@echo "make fuzz               run the libFuzzer targets, SECONDS=60 each, and fuzz the verbs ABI of the driver for ten minutes"
	@echo "make soak               two guests in which everything happens at once, on the debug kernel: HOURS=1 SEED=7 KERNEL=6.12"
	@echo "make mutants            mutation testing: break the code, check that its test fails; ONLY=\"name*\": some mutants"
	@echo "make bench              benchmarks: emulator engine and memcpy; commands, verbs, fail-over and recovery with both drivers"
	@echo "make modules            build the modules for a toolbox kernel: KERNEL=6.1, 6.12, 7.2, debug, kcsan"
	@echo "make emulator           build cxemu, in build/emulator"
	@echo "make dkms-install       install the modules with DKMS, also for kernels installed later, and the tools (as root)"
	@echo "make install            the same without DKMS, for the running kernel only (as root)"
	@echo "make install-tools      install show_gids, cma_roce_mode and the other tools, with man pages (PREFIX=/usr/local)"
	@echo "make uninstall          remove what any of these installed (as root)"
	@echo "make dist               build the release archive: build/cxr-$(VERSION).tar.gz"
	@echo "make install-emulator   build cxemu and cxctl here and install them, with man pages, completion and a systemd unit (PREFIX=/usr/local)"
	@echo "make deb                build the Debian packages cxr-dkms, cxr-tools and cxemu, in build/deb"
	@echo "make clean              remove build results"
	@echo "make clean-cache        remove the cache: $${CXR_CACHE:-~/.cache/cxr}"

modules:
	scripts/build-modules $(KERNEL) W=1

emulator:
	@scripts/toolbox run $(MAKE) -s -j2 -C emulator O=$(TOP)/build/emulator

demo:
	@scripts/demo

vm: emulator
	@test $(DRIVER) != cxr || scripts/build-modules $(KERNEL) W=1
	@scripts/vm --kernel $(KERNEL) --driver $(DRIVER) --guests 2 --load --shell

check:
	@$(CHECK) $(PARTS)

check-host:
	@$(CHECK) host build package

check-all:
	@scripts/check-all

check-programs:
	@KERNELS="$(KERNELS)" LONG="$(LONG)" ONLY="$(ONLY)" scripts/check-programs

check-cards:
	@scripts/check-cards

check-changed:
	@KERNELS="$(KERNELS)" DRIVER="$(DRIVER)" scripts/check-changed $(BASE)

check-list:
	@ONLY="$(ONLY)" scripts/check list

check-package:
	@$(CHECK) package

docs:
	@scripts/toolbox run scripts/make-docs

lint:
	@scripts/lint

fuzz:
	@scripts/fuzz $(SECONDS)

soak:
	@KERNEL="$(if $(filter file,$(origin KERNEL)),debug,$(KERNEL))" SEED="$(SEED)" ROUND="$(ROUND)" STEP="$(STEP)" scripts/soak $(HOURS)

mutants:
	@scripts/mutants $(foreach name,$(ONLY),'$(name)')

bench:
	@scripts/bench

# depmod prefers updates/ to the kernel's own modules. The key that the kernel was signed with is not here.
install: all install-tools
	$(MAKE) -C $(KDIR) M=$(TOP) INSTALL_MOD_DIR=updates/cxr INSTALL_MOD_STRIP=1 CONFIG_MODULE_SIG_ALL= modules_install
	depmod $(KREL)

install-tools:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(MANDIR)/man8 $(DESTDIR)$(UDEVDIR) $(DESTDIR)$(EXAMPLEDIR)
	install -m 755 $(USER_TOOLS:%=scripts/%) $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $(ROOT_TOOLS:%=scripts/%) $(DESTDIR)$(PREFIX)/sbin/
	install -m 644 $(TOOLS:%=Documentation/man/%.8) $(DESTDIR)$(MANDIR)/man8/
	# for scripts that use the vendor's name; packages do it when they are installed
	test -n "$(DESTDIR)" || command -v mlnx_qos >/dev/null || test -e $(PREFIX)/sbin/mlnx_qos || \
		ln -sf cxr-qos $(PREFIX)/sbin/mlnx_qos
	install -m 644 packaging/$(UDEV_RULE) $(DESTDIR)$(UDEVDIR)/
	install -m 644 packaging/modprobe.conf $(DESTDIR)$(EXAMPLEDIR)/

# With the compiler, libdeflate, json-c, libseccomp and help2man of this machine.
install-emulator:
	$(MAKE) -C emulator O=$(TOP)/build/emulator-install
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(COMPLETIONDIR) $(DESTDIR)$(UNITDIR)
	install -m 755 $(EMULATOR:%=build/emulator-install/%) $(DESTDIR)$(PREFIX)/bin/
	for p in $(EMULATOR); do help2man --no-info --include=packaging/$$p.h2m --output=$(DESTDIR)$(MANDIR)/man1/$$p.1 build/emulator-install/$$p || exit; done
	install -m 644 packaging/cxemu.bash-completion $(DESTDIR)$(COMPLETIONDIR)/cxemu
	ln -sf cxemu $(DESTDIR)$(COMPLETIONDIR)/cxctl
	sed 's,/usr/bin/,$(PREFIX)/bin/,' packaging/cxemu@.service >$(DESTDIR)$(UNITDIR)/cxemu@.service
	chmod 644 $(DESTDIR)$(UNITDIR)/cxemu@.service

install-dkms-source:
	rm -rf $(DKMS_SOURCE)
	install -d $(DKMS_SOURCE)
	tar -c --owner=0 --group=0 --mode=u=rwX,go=rX $(BUILT:%=--exclude='%') $(MODULE_SOURCES) | tar -x -C $(DKMS_SOURCE)

dkms-install:
	@command -v dkms >/dev/null || { echo "dkms is not installed (Debian: apt install dkms)" >&2; exit 1; }
	! dkms status cxr/$(VERSION) | grep -q . || dkms remove cxr/$(VERSION) --all
	$(MAKE) install-dkms-source
	dkms install cxr/$(VERSION)
	$(MAKE) install-tools

uninstall:
	! command -v dkms >/dev/null || ! dkms status cxr/$(VERSION) | grep -q . || dkms remove cxr/$(VERSION) --all
	rm -rf $(DKMS_SOURCE)
	rm -f $(USER_TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(ROOT_TOOLS:%=$(DESTDIR)$(PREFIX)/sbin/%) $(TOOLS:%=$(DESTDIR)$(MANDIR)/man8/%.8)
	test "$$(readlink $(DESTDIR)$(PREFIX)/sbin/mlnx_qos)" != cxr-qos || rm $(DESTDIR)$(PREFIX)/sbin/mlnx_qos
	rm -f $(EMULATOR:%=$(DESTDIR)$(PREFIX)/bin/%) $(EMULATOR:%=$(DESTDIR)$(MANDIR)/man1/%.1) $(EMULATOR:%=$(DESTDIR)$(COMPLETIONDIR)/%) \
		$(DESTDIR)$(UNITDIR)/cxemu@.service
	rm -f $(DESTDIR)$(UDEVDIR)/$(UDEV_RULE) $(DESTDIR)$(EXAMPLEDIR)/modprobe.conf
	@set -- $(MANDIR)/man1 $(MANDIR)/man8 $(COMPLETIONDIR) $(dir $(COMPLETIONDIR)) $(UNITDIR) $(dir $(UNITDIR)) $(UDEVDIR) $(dir $(UDEVDIR)) $(EXAMPLEDIR) $(dir $(EXAMPLEDIR)) $(PREFIX)/share/doc; for d; do \
		test ! -d $(DESTDIR)$$d || rmdir --ignore-fail-on-non-empty $(DESTDIR)$$d; done
	@if [ -d /lib/modules/$(KREL)/updates/cxr ]; then \
		rm -r /lib/modules/$(KREL)/updates/cxr; \
		rmdir --ignore-fail-on-non-empty /lib/modules/$(KREL)/updates; \
		depmod $(KREL); fi

# The same sources give the same archive, byte by byte.
dist:
	@mkdir -p build
	tar -c --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$(SOURCE_DATE_EPOCH) \
		$(BUILT:%=--exclude='%') --transform='s,^,cxr-$(VERSION)/,S' $(RELEASE) | gzip -9n >build/cxr-$(VERSION).tar.gz

deb: dist
	scripts/toolbox run packaging/build-deb build/cxr-$(VERSION).tar.gz build/deb

clean:
	@test ! -e $(KDIR)/Makefile || $(MAKE) -s -C $(KDIR) M=$(TOP) clean
	rm -rf build

clean-cache:
	rm -rf "$${CXR_CACHE:-$$HOME/.cache/cxr}"

.PHONY: all headers help modules emulator demo vm check check-all check-cards check-programs check-changed check-list check-host check-package docs soak lint install install-tools install-emulator install-dkms-source \
	dkms-install uninstall dist deb clean clean-cache fuzz mutants bench
