// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod sriov_shim.ko device=0000:01:00.0 vfs=N vf_device=ID [first=N]
 *
 * Gives a PCI function the SR-IOV capability, which QEMU hides from its guests, so that the kernel
 * lets the function's driver enable virtual functions. They are on the bus of their PF while that
 * has them enabled, with a configuration space that says no more than that each is a network
 * interface: nothing can drive them here. On the emulated card they are functions of other guests.
 * first=: the functions between are none of them.
 *
 * The kernel looks for the capability when it finds a device: remove the device after loading this,
 * and rescan the bus. Disable the VFs before unloading it, and do both again.
 */
#include <linux/module.h>
#include <linux/pci.h>

#define CAP_AT		0xf80	/* in a configuration space that ends its list before */
#define CAP_BYTES	PCI_EXT_CAP_SRIOV_SIZEOF
#define NEXT_SHIFT	20	/* of the header of an extended capability */
#define VFS_MAX		7	/* one function number each, beside the PF's */
#define VF_BAR_BYTES	0x1000	/* nobody maps it */
#define CLASS_ETHERNET	(PCI_CLASS_NETWORK_ETHERNET << 16)

static char *device;
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "address of the PF, 0000:01:00.0");
static unsigned int vfs = 1;
module_param(vfs, uint, 0);
MODULE_PARM_DESC(vfs, "VFs that it can have, 1 to 7");
static unsigned int vf_device;
module_param(vf_device, uint, 0);
MODULE_PARM_DESC(vf_device, "PCI device ID of its VFs");
static unsigned int first = 1;
module_param(first, uint, 0);
MODULE_PARM_DESC(first, "how far the first VF is behind the PF (default 1)");

/* Configuration accesses hold the lock of the PCI core. */
static struct {
	struct pci_bus *bus;
	unsigned int devfn;	/* of the PF, which may be removed and found again */
	int last;		/* where the list of extended capabilities ended */
	struct pci_ops ops, *below;
	u8 cap[CAP_BYTES];
} shim;

static u32 get(const u8 *at, int size)
{
	u32 value = 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

static void put(u8 *at, int size, u32 value)
{
	for (; size--; value >>= 8)
		*at++ = value;
}

static unsigned int enabled_vfs(void)
{
	if (!(get(shim.cap + PCI_SRIOV_CTRL, 2) & PCI_SRIOV_CTRL_VFE))
		return 0;
	return get(shim.cap + PCI_SRIOV_NUM_VF, 2);
}

static bool is_vf(unsigned int devfn)
{
	return devfn >= shim.devfn + first && devfn - shim.devfn - first < enabled_vfs();
}

static int read_vf(int where, int size, u32 *value)
{
	static const u8 ids[4] = { 0xff, 0xff, 0xff, 0xff };
	u8 class[4];

	put(class, 4, CLASS_ETHERNET);
	if (where < 4)
		*value = get(ids, size);
	else if (where >= PCI_CLASS_REVISION && where < PCI_CLASS_REVISION + 4)
		*value = get(class + where - PCI_CLASS_REVISION, size);
	else
		*value = 0;
	return PCIBIOS_SUCCESSFUL;
}

static bool in_cap(unsigned int devfn, int where)
{
	return devfn == shim.devfn && where >= CAP_AT && where < CAP_AT + CAP_BYTES;
}

static int shim_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	int err;

	if (is_vf(devfn))
		return read_vf(where, size, value);
	if (in_cap(devfn, where)) {
		*value = get(shim.cap + where - CAP_AT, size);
		return PCIBIOS_SUCCESSFUL;
	}
	err = shim.below->read(bus, devfn, where, size, value);
	if (!err && devfn == shim.devfn && where == shim.last && size == 4)
		*value = (*value & GENMASK(NEXT_SHIFT - 1, 0)) | CAP_AT << NEXT_SHIFT;
	return err;
}

/* Of the registers that software writes; the address of the VFs' BARs is aligned to their size. */
static void write_cap(int at, int size, u32 value)
{
	switch (at) {
	case PCI_SRIOV_CTRL:
	case PCI_SRIOV_NUM_VF:
	case PCI_SRIOV_SYS_PGSIZE:
	case PCI_SRIOV_BAR + 4:
		put(shim.cap + at, size, value);
		break;
	case PCI_SRIOV_BAR:
		put(shim.cap + at, size,
		    (value & ~(VF_BAR_BYTES - 1)) |
			    PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
		break;
	}
}

static int shim_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	if (is_vf(devfn))
		return PCIBIOS_SUCCESSFUL;
	if (!in_cap(devfn, where))
		return shim.below->write(bus, devfn, where, size, value);
	write_cap(where - CAP_AT, size, value);
	return PCIBIOS_SUCCESSFUL;
}

static void fill_cap(void)
{
	put(shim.cap, 4, PCI_EXT_CAP_ID_SRIOV | 1 << 16);
	put(shim.cap + PCI_SRIOV_INITIAL_VF, 2, vfs);
	put(shim.cap + PCI_SRIOV_TOTAL_VF, 2, vfs);
	put(shim.cap + PCI_SRIOV_FUNC_LINK, 1, PCI_FUNC(shim.devfn));
	put(shim.cap + PCI_SRIOV_VF_OFFSET, 2, first);
	put(shim.cap + PCI_SRIOV_VF_STRIDE, 2, 1);
	put(shim.cap + PCI_SRIOV_VF_DID, 2, vf_device);
	put(shim.cap + PCI_SRIOV_SUP_PGSIZE, 4, 1);
	put(shim.cap + PCI_SRIOV_SYS_PGSIZE, 4, 1);
	write_cap(PCI_SRIOV_BAR, 4, 0);
}

static struct pci_dev *find(const char *name)
{
	struct pci_dev *pdev = NULL;

	for_each_pci_dev(pdev)
		if (!strcmp(pci_name(pdev), name))
			return pdev;
	return NULL;
}

static int find_end(struct pci_dev *pdev)
{
	int at = 0, next = PCI_CFG_SPACE_SIZE;
	u32 header;

	while (next >= PCI_CFG_SPACE_SIZE && next < CAP_AT) {
		if (pci_read_config_dword(pdev, next, &header) || !header)
			break;
		at = next;
		next = header >> NEXT_SHIFT & ~3;
	}
	return at;
}

static int __init shim_init(void)
{
	struct pci_dev *pdev;

	if (!device || !vfs || !first || vfs + first - 1 > VFS_MAX || !vf_device) {
		pr_err("sriov_shim: device=, vfs= (1 to %u) and vf_device= are needed\n", VFS_MAX);
		return -EINVAL;
	}
	pdev = find(device);
	if (!pdev) {
		pr_err("sriov_shim: device: there is no PCI device '%s'\n", device);
		return -ENODEV;
	}
	shim.last = find_end(pdev);
	if (!shim.last) {
		pr_err("sriov_shim: %s has no extended capabilities\n", device);
		pci_dev_put(pdev);
		return -ENODEV;
	}
	shim.bus = pdev->bus;
	shim.devfn = pdev->devfn;
	fill_cap();
	shim.below = shim.bus->ops;
	shim.ops = *shim.below;
	shim.ops.read = shim_read;
	shim.ops.write = shim_write;
	pci_bus_set_ops(shim.bus, &shim.ops);
	pci_dev_put(pdev);
	return 0;
}

static void __exit shim_exit(void)
{
	pci_bus_set_ops(shim.bus, shim.below);
}

module_init(shim_init);
module_exit(shim_exit);
MODULE_DESCRIPTION("SR-IOV capability for a PCI function of a virtual machine");
MODULE_LICENSE("Dual BSD/GPL");
