//! Finds the repeating parts of a sequence.
//!
//! The distance between two equal windows of k symbols may be a period; for each k = 1, 2, 4 … the most frequent distances
//! are tried. A part of the sequence has the period p if each of its symbols is equal to the one p positions later.
//!
//! ```text
//! symbols   i n C S C C S C C S C e     windows of 2: CS at 2, 5, 8: distance 3 twice, so p = 3 is tried
//!               |--- part, p = 3 ---|   3 blocks of CSC
//! ```

use hashbrown::HashMap;

/// A part has at least this many equal blocks in a row.
const LEAST_BLOCKS: usize = 3;

/// Periods are guessed from at most this many symbols.
const MOST_GUESSED: usize = 1 << 18;

/// The longest window, in symbols.
const MOST_WINDOW: usize = 1 << 12;

/// Parts of a sequence that repeat the same block, possibly beginning at another position in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PeriodGroup {
    /// Length of the block, in symbols.
    pub(super) period: usize,
    /// Begin and end of each part, in order.
    pub(super) parts: Vec<(usize, usize)>,
}

impl PeriodGroup {
    /// The first block.
    pub(super) fn body<'s>(&self, symbols: &'s [u32]) -> &'s [u32] {
        let from = self.parts[0].0;
        &symbols[from..from + self.period]
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.parts.iter().map(|(from, to)| (to - from) / self.period).sum()
    }
}

/// The groups of all periods that were tried.
pub(super) fn groups(symbols: &[u32]) -> Vec<PeriodGroup> {
    let mut periods: Vec<usize> = windows(symbols.len()).flat_map(|k| likely_periods(symbols, k)).collect();
    periods.sort_unstable();
    periods.dedup();
    periods.into_iter().flat_map(|period| groups_of_period(symbols, period)).collect()
}

fn windows(length: usize) -> impl Iterator<Item = usize> {
    let most = MOST_WINDOW.min(length / 2);
    std::iter::successors(Some(1_usize), |k| k.checked_mul(2)).take_while(move |&k| k <= most)
}

/// The two most frequent distances between a window of k symbols and its previous occurrence.
fn likely_periods(symbols: &[u32], k: usize) -> Vec<usize> {
    let symbols = &symbols[..symbols.len().min(MOST_GUESSED)];
    let mut last: HashMap<u64, usize> = HashMap::new();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for (at, hash) in hashes(symbols, k).into_iter().enumerate() {
        if let Some(before) = last.insert(hash, at) {
            *counts.entry(at - before).or_default() += 1;
        }
    }
    let mut counts: Vec<(usize, usize)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(distance, count)| (std::cmp::Reverse(count), distance));
    counts.truncate(2);
    counts.into_iter().map(|(distance, _)| distance).collect()
}

const BASE: u64 = 0x0100_0000_01b3;

/// Rolling hashes of all windows of k symbols.
fn hashes(symbols: &[u32], k: usize) -> Vec<u64> {
    let highest = (1..k).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0_u64;
    let mut hashes = Vec::with_capacity(symbols.len());
    for (at, &symbol) in symbols.iter().enumerate() {
        if at >= k {
            hash = hash.wrapping_sub(mixed(symbols[at - k]).wrapping_mul(highest));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(mixed(symbol));
        if at + 1 >= k {
            hashes.push(hash);
        }
    }
    hashes
}

/// Scrambles a symbol: sums of small consecutive numbers would often collide.
fn mixed(symbol: u32) -> u64 {
    (u64::from(symbol) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// The parts with a period, grouped by the symbols of their block.
fn groups_of_period(symbols: &[u32], period: usize) -> Vec<PeriodGroup> {
    let mut groups: HashMap<u64, PeriodGroup> = HashMap::new();
    let mut add = |from: usize, to: usize| {
        if to - from >= LEAST_BLOCKS * period {
            // A sum does not depend on the position in the block at which a part begins.
            let sum = symbols[from..from + period].iter().fold(0_u64, |sum, &it| sum.wrapping_add(mixed(it)));
            let group = groups.entry(sum).or_insert_with(|| PeriodGroup { period, parts: Vec::new() });
            group.parts.push((from, to));
        }
    };
    let mut from = 0;
    for at in 0..symbols.len().saturating_sub(period) {
        if symbols[at] != symbols[at + period] {
            add(from, at + period);
            from = at + 1;
        }
    }
    add(from, symbols.len());
    let mut groups: Vec<PeriodGroup> = groups.into_values().collect();
    groups.sort_unstable_by(|a, b| a.parts.cmp(&b.parts));
    // Parts of a period may overlap by less than a block: the overlap is removed from the later part.
    for group in &mut groups {
        let mut reached = 0;
        for part in &mut group.parts {
            part.0 = part.0.max(reached);
            reached = part.1.max(reached);
        }
        group.parts.retain(|(from, to)| to.saturating_sub(*from) >= period);
    }
    groups.retain(|group| !group.parts.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::groups;

    fn symbols(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    #[test]
    fn no_symbol_has_to_occur_once_in_a_period() {
        let text = format!("init{}end", "CSCSC".repeat(20));
        let found = groups(&symbols(&text));
        let best = found.iter().max_by_key(|group| (group.blocks() * group.period, group.blocks())).unwrap();
        assert_eq!((best.period, best.blocks(), &best.parts[..]), (5, 20, &[(4, 104)][..]));
    }

    #[test]
    fn a_sequence_without_repetition_has_no_groups() {
        assert!(groups(&[]).is_empty() && groups(&symbols("abcdefgh")).is_empty());
        assert!(groups(&symbols("abcabd")).is_empty());
    }

    proptest! {
        /// Every repetition is found with its period, or with a divisor of it that is a period as well.
        #[test]
        fn what_is_repeated_is_found(body in prop::collection::vec(0_u32..4, 1..40), count in 4_usize..30) {
            let all: Vec<u32> = body.iter().copied().cycle().take(body.len() * count).collect();
            let found = groups(&all);
            let covers_all = |it: &super::PeriodGroup| it.parts[0].0 == 0 && it.parts.last().is_some_and(|part| part.1 == all.len());
            prop_assert!(
                found.iter().any(|it| body.len() % it.period == 0 && it.parts.len() == 1 && covers_all(it)),
                "{found:?}"
            );
        }
    }
}
