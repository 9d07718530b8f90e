//! Which lines of two texts are the same.
//!
//! Equal beginnings and ends are matched, then lines that occur exactly once in both texts, in the longest sequence that has the
//! same order in both (patience diff), and then the same again between these. Where no line is unique, short pieces are compared
//! completely. Every line of both texts is in the result exactly once, in the order of both.

use std::collections::HashMap;

/// A line of the first text, of the second one, or of both, by index.
pub type LinePair = (Option<usize>, Option<usize>);

/// Pieces are compared completely up to this product of their lengths.
const MOST_CELLS: usize = 1 << 20;

/// Aligns two texts.
pub fn align(old: &[&str], new: &[&str]) -> Vec<LinePair> {
    let mut matches = Vec::new();
    // Pieces to match, as ranges of both texts. A list instead of recursion: texts may be long.
    let mut pieces = vec![(0, old.len(), 0, new.len())];
    while let Some((mut a, mut b, mut c, mut d)) = pieces.pop() {
        while a < b && c < d && old[a] == new[c] {
            matches.push((a, c));
            (a, c) = (a + 1, c + 1);
        }
        while a < b && c < d && old[b - 1] == new[d - 1] {
            (b, d) = (b - 1, d - 1);
            matches.push((b, d));
        }
        let anchors = unique_matches(&old[a..b], &new[c..d]);
        if anchors.is_empty() {
            if (b - a).saturating_mul(d - c) <= MOST_CELLS {
                let common = longest_common(&old[a..b], &new[c..d]);
                matches.extend(common.into_iter().map(|(x, y)| (a + x, c + y)));
            }
            continue;
        }
        let (mut x, mut y) = (a, c);
        for (at, other) in anchors {
            matches.push((a + at, c + other));
            pieces.push((x, a + at, y, c + other));
            (x, y) = (a + at + 1, c + other + 1);
        }
        pieces.push((x, b, y, d));
    }
    matches.sort_unstable();
    filled(&matches, old.len(), new.len())
}

/// The matches with the lines between them: first those of the old text, then those of the new one.
fn filled(matches: &[(usize, usize)], old: usize, new: usize) -> Vec<LinePair> {
    let mut pairs = Vec::with_capacity(old + new - matches.len());
    let (mut x, mut y) = (0, 0);
    for &(a, b) in matches.iter().chain([&(old, new)]) {
        pairs.extend((x..a).map(|line| (Some(line), None)));
        pairs.extend((y..b).map(|line| (None, Some(line))));
        if (a, b) != (old, new) {
            pairs.push((Some(a), Some(b)));
        }
        (x, y) = (a + 1, b + 1);
    }
    pairs
}

/// Lines that occur once in each text, as the longest sequence with the same order in both.
fn unique_matches(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let places = |lines: &[&str]| {
        let mut places: HashMap<String, Option<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            places.entry((*line).to_owned()).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (of_old, of_new) = (places(old), places(new));
    let in_both = |(at, line): (usize, &&str)| {
        let unique = of_old.get(*line).copied().flatten().is_some();
        Some((at, of_new.get(*line).copied().flatten().filter(|_| unique)?))
    };
    let common: Vec<(usize, usize)> = old.iter().enumerate().filter_map(in_both).collect();
    longest_increasing(&common)
}

/// The longest sequence of pairs whose second numbers increase; the first ones do already.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends a sequence of it with the least second number, and its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut found: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    found.reverse();
    found
}

/// The longest common subsequence, by dynamic programming.
fn longest_common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut length = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            let (below, right) = (length[(a + 1) * width + b], length[a * width + b + 1]);
            let equal = if old[a] == new[b] { length[(a + 1) * width + b + 1] + 1 } else { 0 };
            length[a * width + b] = below.max(right).max(equal);
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if length[(a + 1) * width + b] >= length[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{LinePair, align};

    fn check(old: &str, new: &str, expected: &str) {
        let (a, b): (Vec<&str>, Vec<&str>) = (old.split(' ').collect(), new.split(' ').collect());
        let pairs = align(&a, &b);
        let text = |pair: &LinePair| match *pair {
            (Some(x), Some(_)) => a[x].to_owned(),
            (Some(x), None) => format!("-{}", a[x]),
            (None, Some(y)) => format!("+{}", b[y]),
            (None, None) => "?".to_owned(),
        };
        assert_eq!(pairs.iter().map(text).collect::<Vec<_>>().join(" "), expected);
        for (x, y) in &pairs {
            assert!(x.zip(*y).is_none_or(|(x, y)| a[x] == b[y]));
        }
        let olds: Vec<usize> = pairs.iter().filter_map(|pair| pair.0).collect();
        let news: Vec<usize> = pairs.iter().filter_map(|pair| pair.1).collect();
        assert_eq!(
            (olds, news),
            ((0..a.len()).collect(), (0..b.len()).collect()),
            "every line once, in order"
        );
    }

    #[test]
    fn lines_are_matched_in_order() {
        check("a b c", "a b c", "a b c");
        check("a b c", "a x c", "a -b +x c");
        check("a b c d", "b c d e", "-a b c d +e");
        check("{ a } { b }", "{ a } { n } { b }", "{ a } { +n +} +{ b }");
        check("x x x", "x x", "x x -x");
        check("a b", "c d", "-a -b +c +d");
        check("a b c", "c b a", "-a -b c +b +a");
    }

    #[test]
    fn long_texts_without_a_common_line_end() {
        let old: Vec<String> = (0..3000).map(|at| format!("old {}", at % 7)).collect();
        let new: Vec<String> = (0..3000).map(|at| format!("new {}", at % 7)).collect();
        let texts: (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        assert_eq!(align(&texts.0, &texts.1).len(), 6000);
        assert!(align(&[], &[]).is_empty());
    }
}
