//! The names that an expression may use: finds the longest that matches a text, and suggests corrections.

use super::boundary::boundary;

/// Longer names can only be written in backticks.
const LONGEST: usize = 256;

/// Names of event types.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    sorted: Vec<String>,
}

impl Names {
    pub(super) fn new(names: impl Iterator<Item = String>) -> Self {
        let mut sorted: Vec<String> = names.filter(|name| is_plain(name)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        Self { sorted }
    }

    /// The length of the longest name that the text starts with and that does not end inside a word.
    pub(super) fn longest(&self, text: &str) -> Option<usize> {
        let mut end = boundary(text, LONGEST);
        while end > 0 {
            // The last name that sorts at or before the text is the longest prefix of it, or its common prefix with the text
            // limits the length of any other.
            let after = self.sorted.partition_point(|name| name.as_str() <= &text[..end]);
            let before = self.sorted.get(after.checked_sub(1)?)?;
            let same = common_prefix(before, &text[..end]);
            if same == before.len() && !ends_inside_word(text, same) {
                return Some(same);
            }
            end = if same == before.len() { boundary(text, same.saturating_sub(1)) } else { same };
        }
        None
    }
}

/// Whether a name can be written in an expression without backticks.
fn is_plain(name: &str) -> bool {
    name.len() <= LONGEST && name.chars().next().is_some_and(begins_word)
}

/// Whether a name may start with this character.
pub(super) fn begins_word(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

/// Whether a name may contain this character.
pub(super) fn continues_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn ends_inside_word(text: &str, end: usize) -> bool {
    let last = text[..end].chars().next_back();
    last.is_some_and(continues_word) && text[end..].chars().next().is_some_and(continues_word)
}

fn common_prefix(one: &str, two: &str) -> usize {
    let same = one.bytes().zip(two.bytes()).take_while(|(one, two)| one == two).count();
    boundary(two, same)
}

/// The known name with the most similar spelling, if the edit distance is below half of the length.
pub(super) fn nearest(wanted: &str, known: &[String]) -> Option<String> {
    const MOST: usize = 64;
    let wanted: Vec<char> = wanted.to_lowercase().chars().take(MOST + 1).collect();
    let near = known.iter().take(1000).filter_map(|name| {
        let letters: Vec<char> = name.to_lowercase().chars().take(MOST + 1).collect();
        let longest = letters.len().max(wanted.len());
        let edits = edit_distance(&wanted, &letters);
        (longest <= MOST && edits * 2 < longest).then_some((edits, name))
    });
    near.min_by_key(|(edits, _)| *edits).map(|(_, name)| name.clone())
}

/// The edit distance (Levenshtein): how many letters must be inserted, removed or changed.
fn edit_distance(one: &[char], two: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in two.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::{Names, nearest};

    #[test]
    fn the_longest_name_that_is_a_whole_word() {
        let known = ["Ir", "cpu", "cpu(ms)", "cache", "cache-misses:u", "a-b", "1x", "größe"];
        let names = Names::new(known.iter().map(|name| (*name).to_owned()));
        let table = [
            ("Ir+1", Some("Ir")),
            ("Irx", None),
            ("cpu(ms) / 2", Some("cpu(ms)")),
            ("cpu(s)", Some("cpu")),
            ("cache-misses", Some("cache")),
            ("cache-misses:u", Some("cache-misses:u")),
            ("cache-misses:ux", Some("cache")),
            ("a-bc", None),
            ("1x", None),
            ("größe/2", Some("größe")),
            ("größ", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(names.longest(text).map(|end| &text[..end]), expected, "{text}");
        }
    }

    #[test]
    fn a_slip_is_recognised() {
        let known = ["Ir", "D1mr", "cache-misses:u"].map(str::to_owned);
        assert_eq!(nearest("ir", &known).as_deref(), Some("Ir"));
        assert_eq!(nearest("D1rm", &known), None);
        assert_eq!(nearest("D1m", &known).as_deref(), Some("D1mr"));
        assert_eq!(nearest("cache-miss", &known).as_deref(), Some("cache-misses:u"));
        assert_eq!(nearest("wall", &known), None);
        assert_eq!(nearest(&"x".repeat(100_000), &known), None);
    }
}
