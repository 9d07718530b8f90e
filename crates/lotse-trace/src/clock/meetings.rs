//! What exchanges of all with all say about two clocks beyond their bounds: that all leave them at about the same time.
//!
//! Nobody leaves before the last has come, and nobody has a reason to stay much longer. Where one process always comes
//! early, its bounds say only that its clock lies somewhere within the time it waited; when it leaves says where. That
//! is likely and not certain, and now and then a process is late to leave because its processor was taken from it: so
//! medians are taken, and bounds that are certain stay above what meetings say.

use super::band::MOST_DRIFT;

/// Meetings that are kept of two processes; of more, every second one is.
const MOST: usize = 512;
/// A drift is believed from so many meetings on.
const FEWEST_FOR_DRIFT: usize = 6;

/// Two processes left the same exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meeting {
    /// When, by the second's clock.
    at: i64,
    /// What the second's clock showed more.
    difference: i64,
    /// So far apart may they have left.
    apart: i64,
}

/// The meetings of two processes.
#[derive(Debug, Clone, Default)]
pub(super) struct Meetings {
    kept: Vec<Meeting>,
    seen: u64,
    /// One of two to this power is kept.
    thinned: u32,
}

/// The difference of two clocks, as far as meetings tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Likely {
    /// At the second's time 0.
    pub(super) offset: f64,
    /// Its growth.
    pub(super) drift: f64,
    /// How far off it may be.
    pub(super) spread: f64,
}

impl Meetings {
    pub(super) fn push(&mut self, at: i64, difference: i64, apart: i64) {
        if self.seen.trailing_zeros() >= self.thinned {
            self.kept.push(Meeting { at, difference, apart });
        }
        self.seen += 1;
        if self.kept.len() >= MOST {
            let mut number = 0_usize;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.thinned += 1;
        }
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        self.kept.extend_from_slice(&other.kept);
    }

    /// What the meetings say; nothing where there are none. A drift is told only where it shows.
    pub(super) fn likely(&self) -> Option<Likely> {
        let good = self.good();
        let span = good.last()?.at.saturating_sub(good.first()?.at) as f64;
        let drift = drift(&good);
        let sloping = along(&good, drift)?;
        if drift.abs() * span > sloping.spread { Some(sloping) } else { along(&good, 0.0) }
    }

    /// The same for a drift that is known otherwise.
    pub(super) fn likely_along(&self, drift: f64) -> Option<Likely> {
        along(&self.good(), drift)
    }

    /// The half in which all were quickest, in the order of time.
    fn good(&self) -> Vec<Meeting> {
        let limit = median(self.kept.iter().map(|it| it.apart as f64).collect()).unwrap_or(0.0);
        let mut good: Vec<Meeting> =
            self.kept.iter().copied().filter(|it| it.apart as f64 <= limit).collect();
        good.sort_unstable_by_key(|it| (it.at, it.difference));
        good
    }
}

/// The median of slopes over half the time, which some late ones do not turn.
fn drift(meetings: &[Meeting]) -> f64 {
    if meetings.len() < FEWEST_FOR_DRIFT {
        return 0.0;
    }
    let later = &meetings[meetings.len() / 2..];
    let pairs = meetings.iter().zip(later).filter(|(from, to)| to.at > from.at);
    let slope = |(from, to): (&Meeting, &Meeting)| {
        (to.difference as f64 - from.difference as f64) / (to.at as f64 - from.at as f64)
    };
    let drift = median(pairs.map(slope).collect()).unwrap_or(0.0);
    if drift.abs() <= MOST_DRIFT { drift } else { 0.0 }
}

fn along(meetings: &[Meeting], drift: f64) -> Option<Likely> {
    let level = |it: &Meeting| it.difference as f64 - drift * it.at as f64;
    let offset = median(meetings.iter().map(level).collect())?;
    let off = median(meetings.iter().map(|it| (level(it) - offset).abs()).collect())?;
    let apart = median(meetings.iter().map(|it| it.apart as f64).collect())?;
    Some(Likely { offset, drift, spread: off.max(apart) })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len().saturating_sub(1) / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::{MOST, Meetings};

    /// Every fifth time somebody is very late to leave.
    fn met(offset: i64, ppm: i64, count: i64) -> Meetings {
        let mut meetings = Meetings::default();
        for number in 0..count {
            let at = number * 1_000_000;
            let late = if number % 5 == 3 { 300_000 * (1 - 2 * (number % 2)) } else { number % 7 };
            meetings.push(at, offset + at / 1_000_000 * ppm + late, 20);
        }
        meetings
    }

    #[test]
    fn the_middle_is_not_moved_by_those_who_are_late() {
        for (offset, ppm, count) in [(0, 0, 1), (-700, 0, 40), (5_000, 90, 40), (1 << 40, -200, 10_000)] {
            let likely = met(offset, ppm, count).likely().unwrap();
            assert!((likely.offset - offset as f64).abs() <= 20.0, "{offset} {ppm}: {likely:?}");
            assert!((likely.drift * 1e6 - ppm as f64).abs() <= 2.0, "{offset} {ppm}: {likely:?}");
            assert!(likely.spread <= 20.0, "{likely:?}");
        }
    }

    #[test]
    fn a_drift_that_does_not_show_is_not_told() {
        let mut meetings = Meetings::default();
        (0..20).for_each(|number| meetings.push(number * 1000, 500 + number, 30));
        assert_eq!(meetings.likely().unwrap().drift.to_bits(), 0.0_f64.to_bits());
        assert_eq!(Meetings::default().likely(), None);
    }

    #[test]
    fn meetings_in_which_all_were_quick_count() {
        let mut meetings = Meetings::default();
        for number in 0..20 {
            meetings.push(
                number * 1000,
                if number % 2 == 0 { 500 } else { 90_000 },
                10 + number % 2 * 50_000,
            );
        }
        assert_eq!(meetings.likely().unwrap().offset, 500.0);
    }

    #[test]
    fn few_are_kept() {
        let meetings = met(0, 50, 1_000_000);
        assert!(meetings.kept.len() <= MOST && meetings.kept.len() >= MOST / 4);
        assert!(meetings.kept.last().unwrap().at > 900_000 * 1_000_000);
    }
}
