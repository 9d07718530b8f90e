//! The event types of a dump: samples, and what they stand for by mode and interval.

use lotse_model::Unit;
use lotse_model::profile::{EventType, Period};

use super::dump::StackprofDump;

/// stackprof accepts intervals below a second.
const LONGEST: u64 = 1_000_000;

/// An event type and how much of it a sample stands for.
#[derive(Debug)]
pub(super) struct SampledEvents {
    pub(super) events: Vec<EventType>,
    scales: Vec<u64>,
    /// One sample per so many microseconds or allocations.
    pub(super) period: Option<Period>,
}

impl SampledEvents {
    /// The event types of a dump; only samples where the interval is unknown.
    pub(super) fn of(dump: &StackprofDump) -> Self {
        let interval = dump.interval.id().filter(|interval| (1..=LONGEST).contains(interval));
        let samples = (EventType::count("samples"), 1);
        let (columns, period) = match (dump.mode.as_str(), interval) {
            (mode @ ("wall" | "cpu"), Some(micros)) => {
                let time = (EventType::new(mode, Unit::Seconds, -9), micros * 1000);
                let event = EventType::new(mode, Unit::Seconds, -6);
                (vec![samples, time], Some(Period { event, length: micros as i64 }))
            }
            ("object", Some(every)) => {
                let event = EventType::count("allocations");
                let allocations = (event.clone(), every);
                let sampled = if every == 1 { vec![] } else { vec![samples] };
                let columns = sampled.into_iter().chain([allocations]).collect();
                (columns, Some(Period { event, length: every as i64 }))
            }
            _ => (vec![samples], None),
        };
        let (events, scales) = columns.into_iter().unzip();
        Self { events, scales, period }
    }

    /// The costs of a number of samples. Costs saturate, as sums of them do.
    pub(super) fn costs(&self, samples: u64) -> Vec<u64> {
        self.scales.iter().map(|scale| samples.saturating_mul(*scale)).collect()
    }

    /// The number of event types.
    pub(super) fn width(&self) -> usize {
        self.scales.len()
    }
}
