//! Joins similar phases: a border is kept only if the use of time differs on its two sides.
//!
//! The use of time is the share of each call path in the locations' time. The difference of two phases is half of the sum
//! of the absolute differences of all shares: 0 if they are equal, 1 if they have no call path in common. Example: shares
//! (0.6, 0.4, 0) and (0.4, 0.6, 0) differ by (0.2 + 0.2 + 0) / 2 = 0.2.
//!
//! The border between the most similar neighbours is removed first, until no two neighbours are similar. A short phase
//! between two similar ones is an excursion (a print every hundred steps) and is joined with both. A phase shorter than the
//! window in which changes are detected is joined with the neighbour that is more similar.

use lotse_model::trace::Ticks;

/// Long neighbours are joined if they differ by less than this.
const LEAST_DIFFERENCE: f64 = 0.15;

/// The shortest neighbours are joined if they differ by less than this, because a few iterations differ by chance.
const LEAST_OF_SHORT: f64 = 0.5;

/// A phase is long from this share of the run on.
const LONG: f64 = 0.1;

/// An excursion is shorter than this share of the run.
const MOST_EXCURSION: f64 = 0.05;

/// The part of the run between two borders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PhaseCandidate {
    pub(super) ticks: Ticks,
    /// The locations' time by call path.
    pub(super) times: Vec<u128>,
}

/// The positions of the borders between candidates that are kept; no phase is shorter than `window`.
pub(super) fn kept_borders(mut phases: Vec<PhaseCandidate>, window: Ticks) -> Vec<usize> {
    let run: Ticks = phases.iter().map(|it| it.ticks).sum();
    let mut borders: Vec<usize> = (0..phases.len().saturating_sub(1)).collect();
    while let Some(at) = too_short(&phases, window).or_else(|| next(&phases, run)) {
        let joined = phases.remove(at + 1);
        phases[at].join(&joined);
        borders.remove(at);
    }
    borders
}

/// The border between the first phase that is too short and the neighbour that is more similar to it.
fn too_short(phases: &[PhaseCandidate], window: Ticks) -> Option<usize> {
    let at = phases.iter().position(|it| it.ticks < window)?;
    let borders = at.saturating_sub(1)..(at + 1).min(phases.len() - 1);
    let distance = |border: &usize| phases[*border].difference(&phases[border + 1]);
    borders.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The border to remove next: that between the most similar neighbours, else one of an excursion.
fn next(phases: &[PhaseCandidate], run: Ticks) -> Option<usize> {
    // Negative: similar.
    let distance = |one: &PhaseCandidate, two: &PhaseCandidate| {
        one.difference(two) - least_difference(one.ticks.min(two.ticks), run)
    };
    let if_similar = |pair: (usize, f64)| (pair.1 < 0.0).then_some(pair);
    let pairs = phases.windows(2).map(|pair| distance(&pair[0], &pair[1])).enumerate();
    let neighbours = pairs.filter_map(if_similar).min_by(|a, b| a.1.total_cmp(&b.1));
    let excursion = || {
        let is_short = |it: &PhaseCandidate| (it.ticks as f64) < MOST_EXCURSION * run as f64;
        let three = phases.windows(3).enumerate().filter(|(_, three)| is_short(&three[1]));
        let three = three.map(|(at, three)| (at, distance(&three[0], &three[2])));
        three.filter_map(if_similar).min_by(|a, b| a.1.total_cmp(&b.1))
    };
    neighbours.or_else(excursion).map(|(at, _)| at)
}

/// The least difference between two phases, the shorter of which lasts `ticks`: interpolated between short and long phases.
fn least_difference(ticks: Ticks, run: Ticks) -> f64 {
    let long = (ticks as f64 / (LONG * run.max(1) as f64)).min(1.0);
    LEAST_OF_SHORT + (LEAST_DIFFERENCE - LEAST_OF_SHORT) * long
}

impl PhaseCandidate {
    fn join(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.times.iter_mut().zip(&other.times).for_each(|(sum, time)| *sum += time);
    }

    fn difference(&self, other: &Self) -> f64 {
        let total = |it: &Self| it.times.iter().sum::<u128>().max(1) as f64;
        let (one, two) = (total(self), total(other));
        let distance = |(a, b): (&u128, &u128)| (*a as f64 / one - *b as f64 / two).abs();
        self.times.iter().zip(&other.times).map(distance).sum::<f64>() / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::{PhaseCandidate, kept_borders};

    fn candidate(ticks: u64, times: [u128; 3]) -> PhaseCandidate {
        PhaseCandidate { ticks, times: times.to_vec() }
    }

    #[test]
    fn similar_neighbours_are_joined() {
        let long = candidate(50, [60, 40, 0]);
        for (phases, expected) in [
            (vec![long.clone(), candidate(50, [50, 50, 0])], &[][..]),
            (vec![long.clone(), candidate(50, [40, 60, 0])], &[0]),
            (vec![long.clone(), candidate(4, [0, 0, 8]), long.clone()], &[]),
            (vec![long.clone(), candidate(10, [0, 0, 20]), long.clone()], &[0, 1]),
            (vec![candidate(4, [0, 0, 8]), long.clone(), long.clone(), candidate(4, [0, 8, 0])], &[0, 2]),
            (vec![candidate(2, [0, 0, 4]), long.clone(), candidate(50, [0, 50, 50])], &[1]),
            (vec![long.clone(), candidate(2, [0, 2, 2]), candidate(50, [0, 50, 50])], &[0]),
            (vec![candidate(0, [0, 0, 0])], &[]),
            (vec![], &[]),
        ] {
            assert_eq!(kept_borders(phases.clone(), 3), expected, "{phases:?}");
        }
    }
}
