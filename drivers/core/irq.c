// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * MSI-X vectors: 0 is for the device as a whole, n + 1 for completion vector n.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/slab.h>

#include "core.h"

int cxr_irq_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct pci_dev *pdev = dev->core.pdev;
	u32 eqs = dev->core.caps.max_eqs;
	u32 async = cxr_eq_async(dev);
	u32 want = num_online_cpus() + 1;
	struct cxr_vector *vectors;
	int got, i;

	if (eqs < async + 1) {
		dev_err(&pdev->dev, "device supports %u event queues, %u are needed\n", eqs,
			async + 1);
		return -EPROTO;
	}
	want = min(want, eqs - async + 1);

	got = pci_alloc_irq_vectors(pdev, 2, want, PCI_IRQ_MSIX);
	if (got < 0) {
		dev_err(&pdev->dev, "cannot allocate 2 to %u MSI-X vectors: %pe\n", want,
			ERR_PTR(got));
		return got;
	}
	vectors = kcalloc(got, sizeof(*vectors), GFP_KERNEL);
	if (!vectors) {
		pci_free_irq_vectors(pdev);
		return -ENOMEM;
	}
	for (i = 0; i < got; i++)
		vectors[i].irq = pci_irq_vector(pdev, i);
	dev->eqs.vectors = vectors;
	dev->core.comp_vectors = got - 1;
	return 0;
}

void cxr_irq_down(void *owner)
{
	struct cxr_dev *dev = owner;

	kfree(dev->eqs.vectors);
	dev->eqs.vectors = NULL;
	pci_free_irq_vectors(dev->core.pdev);
}

int cxr_irq_request(struct cxr_dev *dev, int vector, irq_handler_t handler, void *data)
{
	struct cxr_vector *v = &dev->eqs.vectors[vector];
	unsigned int cpu;
	int err;

	if (vector)
		snprintf(v->name, sizeof(v->name), "cxr-comp%d@%s", vector - 1,
			 pci_name(dev->core.pdev));
	else
		snprintf(v->name, sizeof(v->name), "cxr-async@%s", pci_name(dev->core.pdev));

	err = request_irq(v->irq, handler, 0, v->name, data);
	if (err)
		return err;
	if (vector) {
		cpu = cpumask_local_spread(vector - 1, dev_to_node(dev->core.dev));
		irq_set_affinity_and_hint(v->irq, cpumask_of(cpu));
	}
	return 0;
}

void cxr_irq_free(struct cxr_dev *dev, int vector, void *data)
{
	int irq = dev->eqs.vectors[vector].irq;

	irq_update_affinity_hint(irq, NULL);
	free_irq(irq, data);
}

void cxr_irq_sync(struct cxr_dev *dev, int vector)
{
	synchronize_irq(dev->eqs.vectors[vector].irq);
}

int cxr_comp_irq(const struct cxr_core *core, int vector)
{
	if (vector < 0 || vector >= core->comp_vectors)
		return -EINVAL;
	return to_dev(core)->eqs.vectors[vector + 1].irq;
}
EXPORT_SYMBOL_GPL(cxr_comp_irq);
