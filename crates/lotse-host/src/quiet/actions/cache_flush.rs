//! Evicts the program from the CPU's caches before every run.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::super::action::{Action, Change, Context, Preset};
use super::super::error::QuietError;
use crate::data_caches::data_caches;

pub(super) const ACTION: &dyn Action = &CacheFlush;

/// Bytes to write if the sizes of the caches are unknown: for the shared cache, and for those of one core.
const USUAL: [usize; 2] = [32 << 20, 2 << 20];

/// Upper limit: a virtual machine often shows the whole shared cache of its host, but gets only a part of it.
const MOST: usize = 256 << 20;

/// Distance of writes: not larger than the smallest cache line in use.
const LINE: usize = 32;

struct CacheFlush;

impl Action for CacheFlush {
    fn name(&self) -> &'static str {
        "cache-flush"
    }

    fn explanation(&self) -> &'static str {
        "fills the caches of every CPU with other data before every run, which then begins cold"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn probe(&self, _context: &Context<'_>) -> Result<String, QuietError> {
        let [all, core] = sizes().map(|bytes| bytes >> 10);
        Ok(format!("{all} KiB before every run, and {core} KiB on every CPU"))
    }

    fn is_per_run(&self) -> bool {
        true
    }

    fn before_run(&self, _context: &Context<'_>) -> Result<(), QuietError> {
        let usable =
            sched_getaffinity(None).map_err(|errno| QuietError::file("list", "CPUs")(errno.into()))?;
        let [all, core] = sizes();
        let mut data = vec![0u8; all.max(core)];
        sweep(&mut data);
        for cpu in (0..CpuSet::MAX_CPU).filter(|&cpu| usable.is_set(cpu)) {
            let mut one = CpuSet::new();
            one.set(cpu);
            sched_setaffinity(None, &one)
                .map_err(|errno| QuietError::file("move to a", "CPU")(errno.into()))?;
            sweep(&mut data[..core]);
        }
        sched_setaffinity(None, &usable).map_err(|errno| QuietError::file("leave a", "CPU")(errno.into()))
    }

    fn summary(&self, _context: &Context<'_>, _changes: &[Change]) -> String {
        "CPU caches flushed before every run".to_owned()
    }
}

/// Twice the size of the largest cache, and of the largest private cache of a core. The factor of two evicts nearly all lines even
/// from caches whose replacement is not strictly least recently used.
fn sizes() -> [usize; 2] {
    let caches = data_caches();
    let largest = |levels: std::ops::RangeInclusive<u32>, usual: usize| {
        let bytes =
            caches.iter().filter(|cache| levels.contains(&cache.level)).map(|cache| cache.bytes as usize);
        bytes.max().map_or(usual, |bytes| (2 * bytes).min(MOST))
    };
    [largest(1..=9, USUAL[0]), largest(1..=2, USUAL[1])]
}

fn sweep(data: &mut [u8]) {
    for line in data.iter_mut().step_by(LINE) {
        *line = line.wrapping_add(1);
    }
    std::hint::black_box(data);
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::fake_context;
    use super::{ACTION, LINE, sweep};
    use rustix::thread::sched_getaffinity;

    #[test]
    fn this_thread_keeps_its_cpus() {
        let kernel = FakeKernel::new(&[]);
        let before = sched_getaffinity(None).unwrap();
        ACTION.before_run(&fake_context(&kernel, None)).unwrap();
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn every_line_is_written() {
        let mut data = vec![0; 4 * LINE + 1];
        sweep(&mut data);
        assert_eq!(data.iter().filter(|&&byte| byte == 1).count(), 5);
    }
}
