//! The overhead of a region, split into its classes. All numbers are ticks summed over locations.

use super::profile::{Profile, Spent};

/// The identified overhead by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Split {
    pub(super) data_movement: i128,
    pub(super) synchronisation: i128,
    pub(super) control: i128,
    pub(super) additional: i128,
    pub(super) unparallelised: i128,
    pub(super) replicated: i128,
    pub(super) partly: i128,
}

impl Split {
    pub(super) fn new(one: &Profile, many: &Profile) -> Self {
        let beyond = |of: fn(&Spent) -> u64| (i128::from(many.sum(of)) - i128::from(one.sum(of))).max(0);
        let mut split = Self {
            data_movement: beyond(|it| it.data_movement),
            synchronisation: beyond(|it| it.synchronisation),
            control: beyond(|it| it.control),
            ..Self::default()
        };
        split.computing(one, many, beyond(|it| it.computing));
        split.loss(many);
        split
    }

    pub(super) fn sum(&self) -> i128 {
        let loss = self.unparallelised + self.replicated + self.partly;
        self.data_movement + self.synchronisation + self.control + self.additional + loss
    }

    /// Work that all do, or work that the sequential run does not need.
    fn computing(&mut self, one: &Profile, many: &Profile, excess: i128) {
        let (needed, count) = (i128::from(one.sum(|it| it.computing)), many.by_location.len() as i128);
        let repeats = |it: &Spent| i128::from(it.computing) * 10 >= needed * 9;
        if count > 1 && needed > 0 && many.by_location.iter().all(repeats) {
            self.replicated = excess.min(needed * (count - 1));
        }
        self.additional = excess - self.replicated;
    }

    /// Locations that are not there, or wait for the few that compute.
    fn loss(&mut self, many: &Profile) {
        let count = many.by_location.len() as i128;
        let absent = i128::from(many.longest()) * count - i128::from(many.total());
        let most = many.by_location.iter().map(|it| it.computing).max().unwrap_or(0);
        let computes = |it: &&Spent| it.computing > 0 && i128::from(it.computing) * 10 >= i128::from(most);
        let computing = many.by_location.iter().filter(computes).count() as i128;
        let mut loss = absent;
        if computing > 0 && computing < count {
            let uneven = i128::from(most) * count - i128::from(many.sum(|it| it.computing));
            loss = uneven.clamp(absent, absent + self.synchronisation);
            self.synchronisation -= loss - absent;
        }
        match computing {
            1 if count > 1 => self.unparallelised = loss,
            _ => self.partly = loss,
        }
    }
}
