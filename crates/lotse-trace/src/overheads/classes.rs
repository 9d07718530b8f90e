//! Splits the overhead of a region into classes. All numbers are ticks summed over locations.

use super::profile::{ClassTimes, Profile};

/// The identified overhead by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct OverheadSplit {
    pub(super) data_movement: i128,
    pub(super) synchronisation: i128,
    pub(super) control: i128,
    pub(super) additional: i128,
    pub(super) unparallelised: i128,
    pub(super) replicated: i128,
    pub(super) partly: i128,
}

impl OverheadSplit {
    pub(super) fn new(sequential: &Profile, parallel: &Profile) -> Self {
        let excess = |time: fn(&ClassTimes) -> u64| {
            (i128::from(parallel.sum(time)) - i128::from(sequential.sum(time))).max(0)
        };
        let mut split = Self {
            data_movement: excess(|it| it.data_movement),
            synchronisation: excess(|it| it.synchronisation),
            control: excess(|it| it.control),
            ..Self::default()
        };
        split.divide_computing(sequential, parallel, excess(|it| it.computing));
        split.loss(parallel);
        split
    }

    pub(super) fn sum(&self) -> i128 {
        let loss = self.unparallelised + self.replicated + self.partly;
        self.data_movement + self.synchronisation + self.control + self.additional + loss
    }

    /// Divides excess computing into replicated work and additional computation.
    fn divide_computing(&mut self, sequential: &Profile, parallel: &Profile, excess: i128) {
        let (needed, count) =
            (i128::from(sequential.sum(|it| it.computing)), parallel.by_location.len() as i128);
        let does_all = |it: &ClassTimes| i128::from(it.computing) * 10 >= needed * 9;
        if count > 1 && needed > 0 && parallel.by_location.iter().all(does_all) {
            self.replicated = excess.min(needed * (count - 1));
        }
        self.additional = excess - self.replicated;
    }

    /// Computes the loss by locations that are absent from the region, or wait for the few that compute.
    fn loss(&mut self, parallel: &Profile) {
        let count = parallel.by_location.len() as i128;
        let absent = i128::from(parallel.longest()) * count - i128::from(parallel.total());
        let most = parallel.by_location.iter().map(|it| it.computing).max().unwrap_or(0);
        let computes =
            |it: &&ClassTimes| it.computing > 0 && i128::from(it.computing) * 10 >= i128::from(most);
        let computing_locations = parallel.by_location.iter().filter(computes).count() as i128;
        let mut loss = absent;
        if computing_locations > 0 && computing_locations < count {
            let uneven = i128::from(most) * count - i128::from(parallel.sum(|it| it.computing));
            loss = uneven.clamp(absent, absent + self.synchronisation);
            self.synchronisation -= loss - absent;
        }
        match computing_locations {
            1 if count > 1 => self.unparallelised = loss,
            _ => self.partly = loss,
        }
    }
}
