//! Waits before every run.

use std::time::Duration;

use super::super::action::{Action, Change, Context, Preset};
use super::super::error::QuietError;

pub(super) const ACTION: &dyn Action = &Pause;

/// Default, in milliseconds.
const DEFAULT: u64 = 100;

/// Maximum: one hour, in milliseconds.
const MOST: u64 = 3_600_000;

struct Pause;

impl Action for Pause {
    fn name(&self) -> &'static str {
        "pause"
    }

    fn explanation(&self) -> &'static str {
        "waits before every run, so that the machine cools down and finishes what the last run left behind"
    }

    fn preset(&self) -> Preset {
        Preset::ByName
    }

    fn argument(&self) -> Option<&'static str> {
        Some("milliseconds [default: 100]")
    }

    fn accepts(&self, argument: &str) -> bool {
        argument.parse::<u64>().is_ok_and(|milliseconds| milliseconds <= MOST)
    }

    fn probe(&self, _context: &Context<'_>) -> Result<String, QuietError> {
        Ok("before every run".to_owned())
    }

    fn is_per_run(&self) -> bool {
        true
    }

    fn before_run(&self, context: &Context<'_>) -> Result<(), QuietError> {
        std::thread::sleep(duration(context));
        Ok(())
    }

    fn summary(&self, context: &Context<'_>, _changes: &[Change]) -> String {
        format!("pause of {} ms before every run", duration(context).as_millis())
    }
}

/// The requested time.
pub(super) fn duration(context: &Context<'_>) -> Duration {
    let milliseconds = context.argument.and_then(|text| text.parse().ok()).unwrap_or(DEFAULT);
    Duration::from_millis(milliseconds)
}

#[cfg(test)]
mod tests {
    use super::super::super::fake::FakeKernel;
    use super::super::super::trial::fake_context;
    use super::ACTION;
    use std::time::{Duration, Instant};

    #[test]
    fn it_lasts_as_long_as_asked_for() {
        let kernel = FakeKernel::new(&[]);
        let context = fake_context(&kernel, Some("30"));
        let begin = Instant::now();
        ACTION.before_run(&context).unwrap();
        assert!(begin.elapsed() >= Duration::from_millis(30));
        assert_eq!(ACTION.summary(&context, &[]), "pause of 30 ms before every run");
    }
}
