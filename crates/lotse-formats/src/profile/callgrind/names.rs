//! Names as one piece of a file knows them: numbers that earlier pieces gave meaning to stay open.
//!
//! There are three numberings: objects, files, functions. An entry is made when a piece first mentions a name or
//! number; entries are in that order. Entry 0 of objects and files stands for what was current where the piece
//! begins.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::scan::Said;

const NONE: u32 = u32::MAX;

/// From numbers in the file to entries. Numbers are nearly always small and dense.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
    /// Larger numbers are sparse, so that memory follows the input.
    limit: u64,
}

impl Numbering {
    /// For input of so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self { limit: (bytes as u64 / 4).max(64), ..Self::default() }
    }

    /// The entry of a number.
    #[inline(always)]
    pub(super) fn get(&self, number: u64) -> Option<u32> {
        match self.dense.get(number as usize) {
            Some(&entry) => (entry != NONE).then_some(entry),
            None if number < self.limit => None,
            None => self.sparse.get(&number).copied(),
        }
    }

    /// Gives a number an entry.
    pub(super) fn set(&mut self, number: u64, entry: u32) {
        if number >= self.limit {
            self.sparse.insert(number, entry);
            return;
        }
        let index = number as usize;
        if index >= self.dense.len() {
            self.dense.resize((index + 1).next_power_of_two().min(self.limit as usize), NONE);
        }
        self.dense[index] = entry;
    }

    /// All numbers with their entries, in the order of the numbers.
    pub(super) fn all(&self) -> Vec<(u64, u32)> {
        let dense = self.dense.iter().enumerate().filter(|&(_, &entry)| entry != NONE);
        let mut all: Vec<_> = dense.map(|(number, &entry)| (number as u64, entry)).collect();
        let start = all.len();
        all.extend(self.sparse.iter().map(|(&number, &entry)| (number, entry)));
        all[start..].sort_unstable();
        all
    }
}

/// An object or a file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Name<'a> {
    pub(super) number: Option<u64>,
    /// Missing where only an earlier piece knows it.
    pub(super) text: Option<&'a [u8]>,
    /// Where it is first mentioned.
    pub(super) at: usize,
    /// Where the number first gets another text.
    pub(super) clash: Option<usize>,
}

/// Objects or files.
#[derive(Debug)]
pub(super) struct Names<'a> {
    numbers: Numbering,
    plain: HashMap<&'a [u8], u32>,
    pub(super) entries: Vec<Name<'a>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(bytes: usize) -> Self {
        Self { numbers: Numbering::new(bytes), plain: HashMap::new(), entries: vec![Name::default()] }
    }

    /// The entry of what a line at `at` says.
    #[inline(always)]
    pub(super) fn entry(&mut self, said: Said<'a>, at: usize) -> u32 {
        if let Said::Id(number) = said
            && let Some(entry) = self.numbers.get(number)
        {
            return entry;
        }
        self.new_entry(said, at)
    }

    #[inline(never)]
    fn new_entry(&mut self, said: Said<'a>, at: usize) -> u32 {
        let next = self.entries.len() as u32;
        let (number, text) = match said {
            Said::Plain(text) => {
                let entry = *self.plain.entry(text).or_insert(next);
                if entry == next {
                    self.entries.push(Name { text: Some(text), at, ..Name::default() });
                }
                return entry;
            }
            Said::Id(number) => (number, None),
            Said::Defined(number, text) => (number, Some(text)),
        };
        if let Some(entry) = self.numbers.get(number) {
            let known = &mut self.entries[entry as usize];
            if known.text.is_some_and(|known| Some(known) != text) {
                known.clash.get_or_insert(at);
            }
            known.text = known.text.or(text);
            return entry;
        }
        self.numbers.set(number, next);
        self.entries.push(Name { number: Some(number), text, at, clash: None });
        next
    }
}

/// A function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function<'a> {
    pub(super) number: Option<u64>,
    /// Missing where only an earlier piece knows it.
    pub(super) text: Option<&'a [u8]>,
    /// Entries of where it is first named; they mean nothing without a text.
    pub(super) object: u32,
    pub(super) file: u32,
    /// Whether the file is only that of a caller who named none.
    pub(super) weak: bool,
    /// The file of the first `fn=` line.
    pub(super) home: Option<u32>,
    /// Where it is first mentioned.
    pub(super) at: usize,
    /// Where the number first gets another text.
    pub(super) clash: Option<usize>,
    /// Its row of self costs.
    pub(super) row: u32,
}

/// Where a function is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Where {
    pub(super) object: u32,
    pub(super) file: u32,
    /// Whether the file is only that of a caller who named none.
    pub(super) weak: bool,
}

/// Functions.
#[derive(Debug)]
pub(super) struct Functions<'a> {
    numbers: Numbering,
    plain: HashTable<u32>,
    hasher: DefaultHashBuilder,
    pub(super) entries: Vec<Function<'a>>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(bytes: usize) -> Self {
        let hasher = DefaultHashBuilder::default();
        Self { numbers: Numbering::new(bytes), plain: HashTable::new(), hasher, entries: Vec::new() }
    }

    /// The entry of what a line at `at` says.
    #[inline(always)]
    pub(super) fn entry(&mut self, said: Said<'a>, named: Where, at: usize) -> u32 {
        if let Said::Id(number) = said
            && let Some(entry) = self.numbers.get(number)
        {
            return entry;
        }
        self.new_entry(said, named, at)
    }

    #[inline(never)]
    fn new_entry(&mut self, said: Said<'a>, named: Where, at: usize) -> u32 {
        let (number, text) = match said {
            Said::Plain(text) => return self.plain_entry(text, named, at),
            Said::Id(number) => (number, None),
            Said::Defined(number, text) => (number, Some(text)),
        };
        let Some(entry) = self.numbers.get(number) else {
            self.numbers.set(number, self.entries.len() as u32);
            return self.push(Some(number), text, named, at);
        };
        let known = &mut self.entries[entry as usize];
        if known.text.is_some_and(|known| Some(known) != text) {
            known.clash.get_or_insert(at);
        } else if known.text.is_none() {
            (known.text, known.object, known.file, known.weak) = (text, named.object, named.file, named.weak);
        }
        entry
    }

    fn plain_entry(&mut self, text: &'a [u8], named: Where, at: usize) -> u32 {
        let hasher = self.hasher.clone();
        let entries = &self.entries;
        let key = |entry: u32| {
            let it = &entries[entry as usize];
            (it.text.unwrap_or(b""), Where { object: it.object, file: it.file, weak: it.weak })
        };
        let hash = hasher.hash_one((text, named));
        if let Some(&entry) = self.plain.find(hash, |&entry| key(entry) == (text, named)) {
            return entry;
        }
        let next = entries.len() as u32;
        self.plain.insert_unique(hash, next, |&entry| hasher.hash_one(key(entry)));
        self.push(None, Some(text), named, at)
    }

    fn push(&mut self, number: Option<u64>, text: Option<&'a [u8]>, named: Where, at: usize) -> u32 {
        let Where { object, file, weak } = named;
        let entry =
            Function { number, text, object, file, weak, home: None, at, clash: None, row: NONE };
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }
}

impl Function<'_> {
    /// Its row of self costs, where it has one.
    pub(super) fn own_row(&self) -> Option<usize> {
        (self.row != NONE).then_some(self.row as usize)
    }
}
