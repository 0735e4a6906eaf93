// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The device's free-running counter as a clock: a PTP hardware clock, the time of timestamps in
 * completions of the netdev, and a page from which processes convert those of their own. Setting
 * and adjusting it changes the conversion, the counter is never written.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/ptp_clock_kernel.h>

#include <rdma/mlx5-abi.h>

#include "../policy/clock.h"
#include "core.h"

/* For a device that is gone no time passes: better than a jump. */
static u64 read_cycles(cxr_cyclecounter_arg *cc)
{
	const struct cxr_clock *clock = container_of(cc, struct cxr_clock, cc);
	const struct cxr_dev *dev = container_of(clock, struct cxr_dev, clock);
	u64 now = cxr_counter_read(dev, NULL);

	if (now != U64_MAX)
		return now & clock->cc.mask;
	/* timecounter_*() call this under the lock */
	return context_unsafe(clock->tc.cycle_last);
}

/* ---- what processes see -------------------------------------------------- */

/* User space retries when sign changed, and waits while it is odd. */
static void publish(struct cxr_clock *clock)
	__must_hold(&clock->lock)
{
	struct mlx5_ib_clock_info *info = clock->info;
	u32 sign = info->sign;

	/* visible before any change */
	smp_store_mb(info->sign, sign | MLX5_IB_CLOCK_INFO_KERNEL_UPDATING);
	info->cycles = clock->tc.cycle_last;
	info->nsec = clock->tc.nsec;
	info->frac = clock->tc.frac;
	info->mult = clock->cc.mult;
	/* visible after all changes */
	smp_store_release(&info->sign, sign + 2 * MLX5_IB_CLOCK_INFO_KERNEL_UPDATING);
}

struct page *cxr_clock_page(const struct cxr_core *core)
{
	const struct mlx5_ib_clock_info *info = to_dev(core)->clock.info;

	return info ? virt_to_page(info) : NULL;
}
EXPORT_SYMBOL_GPL(cxr_clock_page);

ktime_t cxr_clock_time(const struct cxr_core *core, u64 stamp)
{
	const struct cxr_clock *clock = &to_dev(core)->clock;
	unsigned int seq;
	u64 ns;

	do {
		seq = read_seqbegin(&clock->lock);
		ns = timecounter_cyc2time(&clock->tc, stamp);
	} while (read_seqretry(&clock->lock, seq));
	return ns_to_ktime(ns);
}
EXPORT_SYMBOL_GPL(cxr_clock_time);

bool cxr_clock_works(const struct cxr_core *core)
{
	return to_dev(core)->clock.info;
}
EXPORT_SYMBOL_GPL(cxr_clock_works);

int cxr_clock_index(const struct cxr_core *core)
{
	struct ptp_clock *ptp = to_dev(core)->clock.ptp;

	return ptp ? ptp_clock_index(ptp) : -1;
}
EXPORT_SYMBOL_GPL(cxr_clock_index);

/* ---- the PTP clock ------------------------------------------------------- */

static struct cxr_clock *clock_of(struct ptp_clock_info *ptp)
{
	return container_of(ptp, struct cxr_clock, ptp_info);
}

/* It goes on while the system sleeps. */
static ktime_t system_time(void)
{
	return ktime_get_boottime();
}

/* What it would be if the counter had run by the system's clock since it was read last. */
static u64 expected(const struct cxr_clock *clock)
	__must_hold(&clock->lock)
{
	return clock->tc.nsec + ktime_to_ns(ktime_sub(system_time(), clock->read_at));
}

static void set(struct cxr_clock *clock, s64 ns)
	__must_hold(&clock->lock)
{
	timecounter_init(&clock->tc, &clock->cc, ns);
	clock->read_at = system_time();
}

/*
 * The time that has passed is counted at the rate of that time. If it is too long to be converted,
 * because the work that updates was not run, the system's clock knows it.
 */
static void catch_up(struct cxr_clock *clock)
	__must_hold(&clock->lock)
{
	s64 passed = ktime_ms_delta(system_time(), clock->read_at);
	u64 last = clock->tc.cycle_last;

	if (unlikely(passed > CXR_CLOCK_PERIODS * (s64)jiffies_to_msecs(clock->period))) {
		set(clock, expected(clock));
		return;
	}
	timecounter_read(&clock->tc);
	if (clock->tc.cycle_last != last)
		clock->read_at = system_time();
}

static void set_rate(struct cxr_clock *clock, s64 scaled_ppm)
	__must_hold(&clock->lock)
{
	clock->ppm = scaled_ppm;
	clock->cc.mult = cxr_clock_adjust(clock->mult, clock->ppm);
}

static void step(struct cxr_clock *clock, s64 ns)
	__must_hold(&clock->lock)
{
	timecounter_adjtime(&clock->tc, ns);
}

/* A failed device, and one that is being reset, has no time. */
static bool running(const struct cxr_clock *clock)
	__must_hold_shared(&clock->lock)
{
	const struct cxr_dev *dev = container_of(clock, struct cxr_dev, clock);

	return clock->up && !cxr_core_dead(&dev->core);
}

/* Brings the clock up to date and changes it: @apply gets @value; NULL: nothing changes. */
static int change(struct cxr_clock *clock, void (*apply)(struct cxr_clock *clock, s64 value),
		  s64 value)
{
	unsigned long flags;
	int err = -ENODEV;

	write_seqlock_irqsave(&clock->lock, flags);
	if (running(clock)) {
		catch_up(clock);
		if (apply)
			apply(clock, value);
		publish(clock);
		err = 0;
	}
	write_sequnlock_irqrestore(&clock->lock, flags);
	return err;
}

static int adjfine(struct ptp_clock_info *ptp, long scaled_ppm)
{
	return change(clock_of(ptp), set_rate, scaled_ppm);
}

static int adjtime(struct ptp_clock_info *ptp, s64 delta)
{
	return change(clock_of(ptp), step, delta);
}

static int settime(struct ptp_clock_info *ptp, const struct timespec64 *ts)
{
	return change(clock_of(ptp), set, timespec64_to_ns(ts));
}

static int gettimex(struct ptp_clock_info *ptp, struct timespec64 *ts,
		    struct ptp_system_timestamp *sts)
{
	struct cxr_clock *clock = clock_of(ptp);
	const struct cxr_dev *dev = container_of(clock, struct cxr_dev, clock);
	u64 cycles = U64_MAX, ns = 0;
	unsigned long flags;

	read_seqlock_excl_irqsave(&clock->lock, flags);
	if (running(clock))
		cycles = cxr_counter_read(dev, sts);
	if (cycles != U64_MAX)
		ns = timecounter_cyc2time(&clock->tc, cycles);
	read_sequnlock_excl_irqrestore(&clock->lock, flags);
	if (cycles == U64_MAX)
		return -ENODEV;

	*ts = ns_to_timespec64(ns);
	return 0;
}

/* There are no pins. */
static int enable(struct ptp_clock_info *ptp, struct ptp_clock_request *request, int on)
{
	return -EOPNOTSUPP;
}

/* A clock without a device in /dev serves timestamps all the same. */
static void register_ptp(struct cxr_dev *dev)
{
	struct cxr_clock *clock = &dev->clock;
	struct ptp_clock *ptp;

	clock->ptp_info = (struct ptp_clock_info){
		.owner = THIS_MODULE,
		.name = "cxr_ptp",
		.max_adj = CXR_CLOCK_MAX_PPB,
		.adjfine = adjfine,
		.adjtime = adjtime,
		.gettimex64 = gettimex,
		.settime64 = settime,
		.enable = enable,
	};
	ptp = ptp_clock_register(&clock->ptp_info, dev->core.dev);
	if (IS_ERR(ptp)) {
		dev_warn(dev->core.dev, "no PTP clock: %pe\n", ptp);
		return;
	}
	clock->ptp = ptp;	/* or NULL: not in this kernel */
}

void cxr_clock_remove(struct cxr_dev *dev)
{
	struct cxr_clock *clock = &dev->clock;

	if (clock->ptp)
		ptp_clock_unregister(clock->ptp);
	clock->ptp = NULL;
}

/* ---- the stage ----------------------------------------------------------- */

static void clock_work(struct work_struct *work)
{
	struct cxr_clock *clock = container_of(to_delayed_work(work), struct cxr_clock, work);

	change(clock, NULL, 0);
	schedule_delayed_work(&clock->work, clock->period);
}

/* A clock that was kept over a reset goes on where it would be: the counter may begin again. */
static void start(struct cxr_clock *clock)
{
	unsigned long flags;

	write_seqlock_irqsave(&clock->lock, flags);
	set_rate(clock, clock->ptp ? clock->ppm : 0);
	set(clock, clock->ptp ? expected(clock) : ktime_get_real_ns());
	clock->up = true;
	publish(clock);
	write_sequnlock_irqrestore(&clock->lock, flags);
}

int cxr_clock_up(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_clock *clock = &dev->clock;
	struct mlx5_ib_clock_info *info;
	struct cxr_clock_scale scale;

	if (!cxr_clock_scale(dev->core.caps.device_frequency_khz, &scale)) {
		dev_warn(dev->core.dev, "no clock: its frequency is %u kHz\n",
			 dev->core.caps.device_frequency_khz);
		return 0;
	}
	info = (struct mlx5_ib_clock_info *)get_zeroed_page(GFP_KERNEL);
	if (!info)
		return -ENOMEM;

	clock->mult = scale.mult;
	clock->cc.read = read_cycles;
	clock->cc.mask = CYCLECOUNTER_MASK(CXR_CLOCK_BITS);
	clock->cc.shift = scale.shift;
	clock->period = msecs_to_jiffies(scale.period_ms);
	info->mask = clock->cc.mask;
	info->shift = scale.shift;
	info->overflow_period = clock->period;
	clock->info = info;
	start(clock);
	if (!clock->ptp)
		register_ptp(dev);
	INIT_DELAYED_WORK(&clock->work, clock_work);
	schedule_delayed_work(&clock->work, clock->period);
	return 0;
}

void cxr_clock_down(void *owner)
{
	struct cxr_dev *dev = owner;
	struct cxr_clock *clock = &dev->clock;
	unsigned long flags;

	if (!dev->resetting)
		cxr_clock_remove(dev);
	if (!clock->info)
		return;

	cancel_delayed_work_sync(&clock->work);
	write_seqlock_irqsave(&clock->lock, flags);
	/* the counter of a failed device is not believed */
	if (!cxr_core_dead(&dev->core))
		catch_up(clock);
	clock->up = false;
	write_sequnlock_irqrestore(&clock->lock, flags);
	free_page((unsigned long)clock->info);
	clock->info = NULL;
}
