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

/// A function as a piece refers to it: by its number in the file, or else by an entry of [`Functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference(u32);

const OTHER: u32 = 1 << 31;

impl Reference {
    /// The number in the file.
    #[inline(always)]
    pub(super) fn number(self) -> Option<u32> {
        (self.0 < OTHER).then_some(self.0)
    }

    /// The place in [`Functions::others`] where there is no number.
    #[inline(always)]
    pub(super) fn other(self) -> usize {
        (self.0 & !OTHER) as usize
    }
}

/// Where a function is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Where {
    pub(super) object: u32,
    pub(super) file: u32,
    /// Whether the file is only that of a caller who named none.
    pub(super) weak: bool,
}

/// A line that names a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Naming<'a> {
    pub(super) number: Option<u64>,
    pub(super) text: &'a [u8],
    pub(super) named: Where,
    pub(super) at: usize,
}

/// What a reference without a small number means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Other {
    /// A number too large for a table.
    Number(u64),
    /// One of [`Functions::namings`].
    Naming(u32),
}

/// Functions.
#[derive(Debug)]
pub(super) struct Functions<'a> {
    /// Larger numbers are not referred to directly, so that memory follows the input.
    limit: u64,
    large: HashMap<u64, Reference>,
    plain: HashTable<Reference>,
    hasher: DefaultHashBuilder,
    pub(super) others: Vec<Other>,
    /// What gives a function its name, in the order of the file.
    pub(super) namings: Vec<Naming<'a>>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            limit: (bytes as u64 / 4).clamp(64, u64::from(OTHER)),
            large: HashMap::new(),
            plain: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            others: Vec::new(),
            namings: Vec::new(),
        }
    }

    /// The function that a line at `at` means.
    #[inline(always)]
    pub(super) fn reference(&mut self, said: Said<'a>, named: Where, at: usize) -> Reference {
        match said {
            Said::Id(number) if number < self.limit => Reference(number as u32),
            Said::Id(number) => self.large(number),
            Said::Defined(number, text) => {
                self.namings.push(Naming { number: Some(number), text, named, at });
                if number < self.limit { Reference(number as u32) } else { self.large(number) }
            }
            Said::Plain(text) => self.plain(Naming { number: None, text, named, at }),
        }
    }

    #[inline(never)]
    fn large(&mut self, number: u64) -> Reference {
        let others = &mut self.others;
        *self.large.entry(number).or_insert_with(|| {
            others.push(Other::Number(number));
            Reference(OTHER | (others.len() as u32 - 1))
        })
    }

    #[inline(never)]
    fn plain(&mut self, naming: Naming<'a>) -> Reference {
        let (hasher, others, namings) = (&self.hasher, &self.others, &self.namings);
        let key = |reference: &Reference| match others[reference.other()] {
            Other::Naming(naming) => (namings[naming as usize].text, namings[naming as usize].named),
            Other::Number(_) => (&b""[..], naming.named),
        };
        let wanted = (naming.text, naming.named);
        let hash = hasher.hash_one(wanted);
        if let Some(&reference) = self.plain.find(hash, |reference| key(reference) == wanted) {
            return reference;
        }
        let reference = Reference(OTHER | others.len() as u32);
        // The table asks for the keys of what it has, which is not yet this one.
        self.plain.insert_unique(hash, reference, |reference| hasher.hash_one(key(reference)));
        self.others.push(Other::Naming(self.namings.len() as u32));
        self.namings.push(naming);
        reference
    }
}
