//! Joins phases that are alike: a border is kept only where the use of time differs on its two sides.
//!
//! The use of time is the share of each call path in the locations' time. Two uses differ by half of the sum of the
//! differences of all shares: 0 where they are equal, 1 where they have nothing in common. The border between the
//! phases that are most alike goes first, until no two neighbours are alike. A short phase between two that are alike
//! is an excursion (a print every hundred steps), not a phase: it is joined with both. What is shorter than the window in
//! which changes are seen is part of the neighbour that is more like it.

use lotse_model::trace::Ticks;

/// Long neighbours that differ by less are one phase.
const LEAST_DIFFERENCE: f64 = 0.15;

/// The shortest neighbours are one phase where they differ by less: few iterations differ by chance.
const LEAST_OF_SHORT: f64 = 0.5;

/// From this share of the run on, a phase is long.
const LONG: f64 = 0.1;

/// An excursion is shorter than this share of the run.
const MOST_EXCURSION: f64 = 0.05;

/// What is between two borders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    /// How long it is.
    pub(super) ticks: Ticks,
    /// The locations' time by call path.
    pub(super) times: Vec<u128>,
}

/// Which of the borders between stretches are kept, by their positions; `window` is how long a phase is at least.
pub(super) fn kept_borders(mut stretches: Vec<Stretch>, window: Ticks) -> Vec<usize> {
    let run: Ticks = stretches.iter().map(|it| it.ticks).sum();
    let mut borders: Vec<usize> = (0..stretches.len().saturating_sub(1)).collect();
    while let Some(at) = too_short(&stretches, window).or_else(|| next(&stretches, run)) {
        let joined = stretches.remove(at + 1);
        stretches[at].join(&joined);
        borders.remove(at);
    }
    borders
}

/// The border between the first stretch that is no phase of its own and the neighbour that is more like it.
fn too_short(stretches: &[Stretch], window: Ticks) -> Option<usize> {
    let at = stretches.iter().position(|it| it.ticks < window)?;
    let borders = at.saturating_sub(1)..(at + 1).min(stretches.len() - 1);
    let apart = |border: &usize| stretches[*border].difference(&stretches[border + 1]);
    borders.min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

/// The border to remove next: that of the neighbours that are most alike, else one of an excursion.
fn next(stretches: &[Stretch], run: Ticks) -> Option<usize> {
    // Below 0: alike.
    let apart = |one: &Stretch, two: &Stretch| one.difference(two) - least(one.ticks.min(two.ticks), run);
    let alike = |pair: (usize, f64)| (pair.1 < 0.0).then_some(pair);
    let pairs = stretches.windows(2).map(|pair| apart(&pair[0], &pair[1])).enumerate();
    let neighbours = pairs.filter_map(alike).min_by(|a, b| a.1.total_cmp(&b.1));
    let excursion = || {
        let is_short = |it: &Stretch| (it.ticks as f64) < MOST_EXCURSION * run as f64;
        let three = stretches.windows(3).enumerate().filter(|(_, three)| is_short(&three[1]));
        let three = three.map(|(at, three)| (at, apart(&three[0], &three[2])));
        three.filter_map(alike).min_by(|a, b| a.1.total_cmp(&b.1))
    };
    neighbours.or_else(excursion).map(|(at, _)| at)
}

/// By how much phases have to differ, the shorter of which is so long.
fn least(ticks: Ticks, run: Ticks) -> f64 {
    let long = (ticks as f64 / (LONG * run.max(1) as f64)).min(1.0);
    LEAST_OF_SHORT + (LEAST_DIFFERENCE - LEAST_OF_SHORT) * long
}

impl Stretch {
    fn join(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.times.iter_mut().zip(&other.times).for_each(|(sum, time)| *sum += time);
    }

    fn difference(&self, other: &Self) -> f64 {
        let total = |it: &Self| it.times.iter().sum::<u128>().max(1) as f64;
        let (one, two) = (total(self), total(other));
        let apart = |(a, b): (&u128, &u128)| (*a as f64 / one - *b as f64 / two).abs();
        self.times.iter().zip(&other.times).map(apart).sum::<f64>() / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Stretch, kept_borders};

    fn stretch(ticks: u64, times: [u128; 3]) -> Stretch {
        Stretch { ticks, times: times.to_vec() }
    }

    #[test]
    fn neighbours_that_are_alike_are_one() {
        let long = stretch(50, [60, 40, 0]);
        for (stretches, expected) in [
            (vec![long.clone(), stretch(50, [50, 50, 0])], &[][..]),
            (vec![long.clone(), stretch(50, [40, 60, 0])], &[0]),
            (vec![long.clone(), stretch(4, [0, 0, 8]), long.clone()], &[]),
            (vec![long.clone(), stretch(10, [0, 0, 20]), long.clone()], &[0, 1]),
            (vec![stretch(4, [0, 0, 8]), long.clone(), long.clone(), stretch(4, [0, 8, 0])], &[0, 2]),
            (vec![stretch(2, [0, 0, 4]), long.clone(), stretch(50, [0, 50, 50])], &[1]),
            (vec![long.clone(), stretch(2, [0, 2, 2]), stretch(50, [0, 50, 50])], &[0]),
            (vec![stretch(0, [0, 0, 0])], &[]),
            (vec![], &[]),
        ] {
            assert_eq!(kept_borders(stretches.clone(), 3), expected, "{stretches:?}");
        }
    }
}
