//! The similarity of two names, from 0 to 1.

use hashbrown::HashSet;

/// Longer names are compared by words only.
const MOST_LETTERS: usize = 96;

/// The greater of the similarities by words and by letters.
pub(super) fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (lotse_symbols::short(one), lotse_symbols::short(other));
    by_words(one, other).max(by_letters(&one.to_lowercase(), &other.to_lowercase()))
}

/// Words in both names over words in either.
fn by_words(one: &str, other: &str) -> f64 {
    overlap(&words(one), &words(other))
}

/// The Jaccard index: common elements over all elements.
pub(super) fn overlap(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// The words of a name: `parseHeader_v2` has `parse`, `header` and `v2`.
fn words(name: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    for piece in name.split(|letter: char| !letter.is_alphanumeric()) {
        let mut word = String::new();
        for letter in piece.chars() {
            if letter.is_uppercase() && !word.ends_with(char::is_uppercase) && !word.is_empty() {
                words.insert(std::mem::take(&mut word).to_lowercase());
            }
            word.push(letter);
        }
        words.insert(word.to_lowercase());
    }
    words.remove("");
    words
}

/// One minus the edit distance (Levenshtein) over the length of the longer name.
fn by_letters(one: &str, other: &str) -> f64 {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let longer = one.len().max(other.len());
    if longer == 0 || longer > MOST_LETTERS {
        return 0.0;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, from) in one.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], above + 1);
        for (left, to) in other.iter().enumerate() {
            let change = corner + usize::from(from != to);
            corner = row[left + 1];
            row[left + 1] = change.min(corner + 1).min(row[left] + 1);
        }
    }
    1.0 - row[other.len()] as f64 / longer as f64
}

#[cfg(test)]
mod tests {
    use super::similarity;

    #[test]
    fn words_and_letters_count() {
        assert!(similarity("app::parse_header(int)", "app::parse_header_fast(int)") > 0.6);
        assert!(similarity("parseHeader", "header_parse") > 0.99);
        assert!(similarity("sort.constprop.0", "sort.isra.0") > 0.4);
        assert!(similarity("parse", "render") < 0.5);
        assert!(similarity("", "").abs() < 1e-9);
    }
}
