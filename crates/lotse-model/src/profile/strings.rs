//! All names of a profile in one string; id 0 is the empty name.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::id::NameId;

/// Names by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strings {
    text: String,
    /// The end of each name, which is also the start of the next.
    ends: Vec<usize>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { text: String::new(), ends: vec![0] }
    }
}

impl Strings {
    /// The text of a name.
    pub fn get(&self, id: NameId) -> &str {
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[id.index()]]
    }

    /// The number of names, the empty one included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Always false: the empty name is always present.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All names in one string, and the end of each.
    pub fn raw(&self) -> (&str, &[usize]) {
        (&self.text, &self.ends)
    }

    /// The inverse of [`raw`](Self::raw); `None` if the ends do not fit the text.
    pub fn from_raw(text: String, ends: Vec<usize>) -> Option<Self> {
        let rising = ends.is_sorted() && ends.first() == Some(&0);
        let fitting = ends.last() == Some(&text.len()) && ends.iter().all(|&end| text.is_char_boundary(end));
        (rising && fitting).then_some(Self { text, ends })
    }

    /// Appends a name, even if an equal one exists.
    pub fn push(&mut self, name: &str) -> NameId {
        self.text.push_str(name);
        self.ends.push(self.text.len());
        NameId::from(self.ends.len() - 1)
    }
}

/// Gives equal names equal ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    pub(super) strings: Strings,
    table: HashTable<NameId>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    pub(super) fn intern(&mut self, name: &str) -> NameId {
        if name.is_empty() {
            return NameId(0);
        }
        let (strings, hasher) = (&mut self.strings, &self.hasher);
        let hash = hasher.hash_one(name);
        if let Some(id) = self.table.find(hash, |&id| strings.get(id) == name) {
            return *id;
        }
        let id = strings.push(name);
        self.table.insert_unique(hash, id, |&id| hasher.hash_one(strings.get(id)));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, Strings};
    use crate::id::NameId;

    #[test]
    fn equal_names_have_equal_ids() {
        let mut interner = Interner::default();
        let ids: Vec<NameId> =
            ["a", "", "bc", "a", "ä"].into_iter().map(|name| interner.intern(name)).collect();
        assert_eq!(ids, [NameId(1), NameId(0), NameId(2), NameId(1), NameId(3)]);
        assert_eq!(interner.strings.get(NameId(2)), "bc");
        assert_eq!(interner.strings.get(NameId(0)), "");
    }

    #[test]
    fn raw_columns_come_back_and_bad_ones_are_refused() {
        let mut interner = Interner::default();
        interner.intern("one");
        interner.intern("zwölf");
        let (text, ends) = interner.strings.raw();
        let again = Strings::from_raw(text.to_owned(), ends.to_vec());
        assert_eq!(again, Some(interner.strings.clone()));
        for ends in [vec![], vec![0], vec![0, 6, 3, 9], vec![1, 9], vec![0, 8], vec![0, 10]] {
            assert_eq!(Strings::from_raw("onezwölf".to_owned(), ends.clone()), None, "{ends:?}");
        }
        assert_eq!(Strings::from_raw("ö".to_owned(), vec![0, 1, 2]), None);
    }
}
