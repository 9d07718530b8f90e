//! The strings of an archive, each of which is written once.

use std::collections::HashMap;

/// Strings with their numbers, in the order in which they were added. The first is empty.
pub(super) struct StringTable<'a> {
    numbers: HashMap<&'a str, u32>,
    all: Vec<&'a str>,
}

impl<'a> StringTable<'a> {
    pub(super) fn new() -> Self {
        Self { numbers: HashMap::from([("", 0)]), all: vec![""] }
    }

    pub(super) fn add(&mut self, name: &'a str) {
        let next = self.all.len() as u32;
        if *self.numbers.entry(name).or_insert(next) == next {
            self.all.push(name);
        }
    }

    /// The number of a string; that of the empty string if it was not added.
    pub(super) fn number(&self, name: &str) -> u32 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    pub(super) fn all(&self) -> &[&'a str] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::StringTable;

    #[test]
    fn a_string_has_one_number() {
        let mut names = StringTable::new();
        ["a", "b", "a", ""].into_iter().for_each(|name| names.add(name));
        assert_eq!(names.all(), ["", "a", "b"]);
        assert_eq!((names.number("b"), names.number("")), (2, 0));
    }
}
