// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * insmod as_vf.ko vf=0000:01:00.1 pf=0000:01:00.0
 *
 * Until it is unloaded, the kernel takes the first function for a VF of the second. On the emulated
 * card it is one, but QEMU shows its guests each function as one of its own.
 */
#include <linux/module.h>
#include <linux/pci.h>

static char *vf;
module_param(vf, charp, 0);
MODULE_PARM_DESC(vf, "address of a PCI function, 0000:01:00.1");
static char *pf;
module_param(pf, charp, 0);
MODULE_PARM_DESC(pf, "address of the function that it is to belong to");

static struct pci_dev *vf_pdev, *pf_pdev;

static struct pci_dev *find(const char *name)
{
	struct pci_dev *pdev = NULL;

	if (!name)
		return NULL;
	for_each_pci_dev(pdev)
		if (!strcmp(pci_name(pdev), name))
			return pdev;
	return NULL;
}

static int __init as_vf_init(void)
{
	vf_pdev = find(vf);
	pf_pdev = find(pf);
	if (!vf_pdev || !pf_pdev || vf_pdev == pf_pdev) {
		pr_err("as_vf: vf= and pf= must be the addresses of two PCI devices\n");
		pci_dev_put(vf_pdev);
		pci_dev_put(pf_pdev);
		return -ENODEV;
	}
	vf_pdev->physfn = pf_pdev;
	vf_pdev->is_virtfn = true;
	return 0;
}

static void __exit as_vf_exit(void)
{
	vf_pdev->is_virtfn = false;
	vf_pdev->physfn = NULL;
	pci_dev_put(vf_pdev);
	pci_dev_put(pf_pdev);
}

module_init(as_vf_init);
module_exit(as_vf_exit);
MODULE_DESCRIPTION("A PCI function of a virtual machine passes for a VF of another");
MODULE_LICENSE("Dual BSD/GPL");
