//! Keeps all CPUs busy before every run, so that no run starts with a slow clock or a sleeping core.

use std::time::Instant;

use super::super::action::{Action, Change, Context, Preset};
use super::super::error::QuietError;
use super::pause::{self, duration};

pub(super) const ACTION: &dyn Action = &Preheat;

struct Preheat;

impl Action for Preheat {
    fn name(&self) -> &'static str {
        "preheat"
    }

    fn explanation(&self) -> &'static str {
        "keeps all CPUs busy before every run, so that none begins with a slow clock or a sleeping core"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn argument(&self) -> Option<&'static str> {
        pause::ACTION.argument()
    }

    fn accepts(&self, argument: &str) -> bool {
        pause::ACTION.accepts(argument)
    }

    fn probe(&self, _context: &Context<'_>) -> Result<String, QuietError> {
        Ok("before every run".to_owned())
    }

    fn is_per_run(&self) -> bool {
        true
    }

    fn before_run(&self, context: &Context<'_>) -> Result<(), QuietError> {
        let begin = Instant::now();
        let time = duration(context);
        let spin = || {
            while begin.elapsed() < time {
                std::hint::spin_loop();
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(spin)));
            spin();
        });
        Ok(())
    }

    fn summary(&self, context: &Context<'_>, _changes: &[Change]) -> String {
        format!("CPUs busy for {} ms before every run", duration(context).as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::fake_context;
    use super::ACTION;
    use rustix::time::{ClockId, clock_gettime};

    #[test]
    fn it_uses_cpu_time() {
        let kernel = FakeKernel::new(&[]);
        let nanoseconds = || {
            let used = clock_gettime(ClockId::ProcessCPUTime);
            used.tv_sec * 1_000_000_000 + used.tv_nsec
        };
        let before = nanoseconds();
        ACTION.before_run(&fake_context(&kernel, Some("60"))).unwrap();
        // On a busy machine the threads get only a part of the time.
        assert!(nanoseconds() - before > 1_000_000);
    }
}
