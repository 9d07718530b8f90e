//! Parts of a sequence that repeat.
//!
//! Where windows of k symbols are equal, their distance may be a period; the most frequent distance of each k = 1, 2,
//! 4 … is tried. The tried period p holds where each symbol is equal to the one p later.

use hashbrown::HashMap;

/// Fewer equal blocks beside each other are no loop.
const LEAST_BLOCKS: usize = 3;

/// Periods are guessed from so many symbols at most.
const MOST_GUESSED: usize = 1 << 18;

/// No window is longer.
const MOST_WINDOW: usize = 1 << 12;

/// Parts of a sequence that repeat the same symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// After how many symbols.
    pub(super) period: usize,
    /// From where to where, in their order.
    pub(super) parts: Vec<(usize, usize)>,
}

impl Group {
    /// The first block.
    pub(super) fn body<'s>(&self, symbols: &'s [u32]) -> &'s [u32] {
        let from = self.parts[0].0;
        &symbols[from..from + self.period]
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.parts.iter().map(|(from, to)| (to - from) / self.period).sum()
    }
}

/// All groups of all periods tried.
pub(super) fn groups(symbols: &[u32]) -> Vec<Group> {
    let mut periods: Vec<usize> = windows(symbols.len()).flat_map(|k| likely(symbols, k)).collect();
    periods.sort_unstable();
    periods.dedup();
    periods.into_iter().flat_map(|period| of_period(symbols, period)).collect()
}

fn windows(length: usize) -> impl Iterator<Item = usize> {
    let most = MOST_WINDOW.min(length / 2);
    std::iter::successors(Some(1_usize), |k| k.checked_mul(2)).take_while(move |&k| k <= most)
}

/// The most frequent distances between windows of k symbols and their last equals.
fn likely(symbols: &[u32], k: usize) -> Vec<usize> {
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

/// Hashes of all windows of k symbols.
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

/// Small numbers next to each other would often give the same sums.
fn mixed(symbol: u32) -> u64 {
    (u64::from(symbol) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// The parts with a period, those with the same symbols together.
fn of_period(symbols: &[u32], period: usize) -> Vec<Group> {
    let mut groups: HashMap<u64, Group> = HashMap::new();
    let mut add = |from: usize, to: usize| {
        if to - from >= LEAST_BLOCKS * period {
            // A sum does not depend on where in the block a part begins.
            let sum = symbols[from..from + period].iter().fold(0_u64, |sum, &it| sum.wrapping_add(mixed(it)));
            let group = groups.entry(sum).or_insert_with(|| Group { period, parts: Vec::new() });
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
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_unstable_by(|a, b| a.parts.cmp(&b.parts));
    // Parts of a period may overlap by less than a block: what the one before has is not counted again.
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
    fn no_symbol_has_to_stand_once_in_a_period() {
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
        /// Whatever is repeated is found with its period, or with a part of it that repeats as well.
        #[test]
        fn what_is_repeated_is_found(body in prop::collection::vec(0_u32..4, 1..40), count in 4_usize..30) {
            let all: Vec<u32> = body.iter().copied().cycle().take(body.len() * count).collect();
            let found = groups(&all);
            let whole = |it: &super::Group| it.parts[0].0 == 0 && it.parts.last().is_some_and(|part| part.1 == all.len());
            prop_assert!(
                found.iter().any(|it| body.len() % it.period == 0 && it.parts.len() == 1 && whole(it)),
                "{found:?}"
            );
        }
    }
}
