# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# cxr: the RoCE driver, the emulated adapter and the tests. `make help` says what there is.

VERSION := 0.1
KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL ?= 6.12
KERNELS ?= 6.12
DRIVER ?= $(if $(HCA),$(HCA),cxr)
TOP := $(CURDIR)
PREFIX ?= /usr/local
TOOLS := show_gids cma_roce_mode cma_roce_tos ibdev2netdev compat_gid_gen show_counters dat_conf_gen cxr-bind
CHECK = KERNELS="$(KERNELS)" DRIVER="$(DRIVER)" TESTS="$(TESTS)" IOMMU="$(IOMMU)" scripts/check

all: headers
	$(MAKE) -C $(KDIR) M=$(TOP) W=1 modules

headers:
	@test -e $(KDIR)/Makefile || { \
		echo "There are no kernel headers in $(KDIR)." >&2; \
		echo "Install those of the running kernel (Debian: apt install linux-headers-$$(uname -r))," >&2; \
		echo "name another folder with KDIR=, or build for a kernel of the toolbox: make modules KERNEL=6.12" >&2; \
		exit 1; }

help:
	@echo "make                    the modules for the running kernel (KDIR=: for another)"
	@echo "make demo               from nothing to RDMA over RoCE v1 and v2, in two virtual machines"
	@echo "make vm                 a shell in a guest with an adapter; a second guest is its peer"
	@echo "make check              all tests; the last line is the result"
	@echo "   KERNELS=\"6.1 6.12 7.2\"  kernels for the VM tests, also: debug   (6.12)"
	@echo "   DRIVER=mlx5            cxr, mlx5 (the kernel's own), rxe (Soft-RoCE) (cxr)"
	@echo "   TESTS=\"probe.sh\"       these VM tests only"
	@echo "   IOMMU=1                with an IOMMU in strict mode"
	@echo "make check-host         what needs no virtual machine"
	@echo "make lint               checkpatch, sparse, W=1, shellcheck, codespell, kernel-doc"
	@echo "make modules            the modules for a kernel of the toolbox: KERNEL=6.1, 6.12, 7.2, debug"
	@echo "make emulator           cxemu, in build/emulator"
	@echo "make install            install the modules for the running kernel, and the tools (as root)"
	@echo "make install-tools      show_gids, cma_roce_mode and the others, with their man pages (PREFIX=/usr/local)"
	@echo "make dkms-install       the same with DKMS, also for kernels to come (as root)"
	@echo "make clean              remove what was built here"
	@echo "make clean-cache        remove what was downloaded: $${CXR_CACHE:-~/.cache/cxr}"

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
	@$(CHECK)

check-host:
	@$(CHECK) host build

lint:
	@scripts/lint

install: all install-tools
	$(MAKE) -C $(KDIR) M=$(TOP) INSTALL_MOD_DIR=updates/cxr modules_install
	depmod

install-tools:
	install -d $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 755 $(TOOLS:%=scripts/%) $(DESTDIR)$(PREFIX)/sbin/
	install -m 644 $(TOOLS:%=Documentation/man/%.8) $(DESTDIR)$(PREFIX)/share/man/man8/

dkms-install:
	@command -v dkms >/dev/null || { echo "dkms is not installed (Debian: apt install dkms)" >&2; exit 1; }
	mkdir -p /usr/src/cxr-$(VERSION)
	cp -r Makefile Kbuild dkms.conf LICENSE include drivers /usr/src/cxr-$(VERSION)/
	dkms install cxr/$(VERSION)
	$(MAKE) install-tools

clean:
	@test ! -e $(KDIR)/Makefile || $(MAKE) -s -C $(KDIR) M=$(TOP) clean
	rm -rf build

clean-cache:
	rm -rf "$${CXR_CACHE:-$$HOME/.cache/cxr}"

.PHONY: all headers help modules emulator demo vm check check-host lint install install-tools dkms-install clean clean-cache
