//! What else the system does while runs are made, read as often as it can change and no more.
//!
//! Reading the kernel's figures costs more than some programs take, and they move in steps of milliseconds. Runs that
//! follow within [`PACE`] of a reading get none of their own: for them the figures are absent, not zero.

use std::time::{Duration, Instant};

use lotse_host::{SystemProbe, SystemState};

/// Half a tick of the coarsest figure.
const PACE: Duration = Duration::from_millis(5);

/// Reads the system's figures around runs.
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

    /// Before a run: the figures read last, unless they are old.
    pub(super) fn before(&mut self) -> SystemState {
        if self.read.elapsed() >= PACE {
            self.take();
        }
        self.last
    }

    /// After a run: the figures anew, or none where the run was too short to see in them.
    pub(super) fn after(&mut self) -> SystemState {
        if self.read.elapsed() < PACE {
            return SystemState::default();
        }
        self.take();
        self.last
    }

    fn take(&mut self) {
        self.last = self.probe.read();
        self.read = Instant::now();
    }
}
