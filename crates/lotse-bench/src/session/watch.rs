//! Load and contention of the system while runs are made.
//!
//! Reading the statistics of the kernel takes longer than some programs, and they change in steps of milliseconds. So they are
//! read at most once per [`PACE`]; for shorter runs they are absent, not zero.

use std::time::{Duration, Instant};

use lotse_host::{SystemProbe, SystemState};

/// Half a tick of the coarsest statistic.
const PACE: Duration = Duration::from_millis(5);

/// Reads statistics of the system before and after runs.
pub(super) struct Watch {
    probe: SystemProbe,
    last: SystemState,
    read: Instant,
}

impl Watch {
    pub(super) fn new() -> Self {
        let probe = SystemProbe::open();
        let last = probe.read();
        Self { probe, last, read: Instant::now() }
    }

    /// Before a run: the last reading, or a new one if it is older than [`PACE`].
    pub(super) fn before(&mut self) -> SystemState {
        if self.read.elapsed() >= PACE {
            self.read_now();
        }
        self.last
    }

    /// After a run: a new reading, or an empty one if the run was shorter than [`PACE`].
    pub(super) fn after(&mut self) -> SystemState {
        if self.read.elapsed() < PACE {
            return SystemState::default();
        }
        self.read_now();
        self.last
    }

    fn read_now(&mut self) {
        self.last = self.probe.read();
        self.read = Instant::now();
    }
}
