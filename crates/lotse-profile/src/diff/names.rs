//! How alike two names are, from 0 to 1.

use hashbrown::HashSet;

/// Longer names are compared by their words alone.
const MOST_LETTERS: usize = 96;

/// The greater of what equal words and what changed letters say.
pub(super) fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (lotse_symbols::short(one), lotse_symbols::short(other));
    by_words(one, other).max(by_letters(&one.to_lowercase(), &other.to_lowercase()))
}

/// Words in both over words in either.
fn by_words(one: &str, other: &str) -> f64 {
    overlap(&words(one), &words(other))
}

/// Common elements over all.
pub(super) fn overlap(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// `parseHeader_v2` has parse, header and v2.
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

/// One minus the changed, added and removed letters over the longer length.
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
    use super::likeness;

    #[test]
    fn words_and_letters_count() {
        assert!(likeness("app::parse_header(int)", "app::parse_header_fast(int)") > 0.6);
        assert!(likeness("parseHeader", "header_parse") > 0.99);
        assert!(likeness("sort.constprop.0", "sort.isra.0") > 0.4);
        assert!(likeness("parse", "render") < 0.5);
        assert!(likeness("", "").abs() < 1e-9);
    }
}
