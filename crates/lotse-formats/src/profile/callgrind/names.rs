//! The names in one chunk of a file, which may use numbers that only earlier chunks define.
//!
//! Objects, files and functions are numbered separately. An entry is made where a chunk first mentions a name or
//! number; entries are in that order. Entry 0 of objects and files stands for what is current at the start of the
//! chunk.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::scan::NameSpec;

const NONE: u32 = u32::MAX;

/// Maps numbers in the file to entries. Numbers are nearly always small and dense.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
    /// Numbers from here on are stored sparsely, so that memory is bounded by the size of the input.
    limit: u64,
}

impl Numbering {
    /// A numbering for an input of `bytes` bytes.
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

    /// Sets the entry of a number.
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
pub(super) struct ChunkName<'a> {
    pub(super) number: Option<u64>,
    /// `None` where only an earlier chunk defines it.
    pub(super) text: Option<&'a [u8]>,
    /// The byte at which it is first mentioned.
    pub(super) at: usize,
    /// The byte at which the number first gets a different text.
    pub(super) clash: Option<usize>,
}

/// The objects or the files of a chunk.
#[derive(Debug)]
pub(super) struct ChunkNames<'a> {
    numbers: Numbering,
    plain: HashMap<&'a [u8], u32>,
    pub(super) entries: Vec<ChunkName<'a>>,
}

impl<'a> ChunkNames<'a> {
    pub(super) fn new(bytes: usize) -> Self {
        Self { numbers: Numbering::new(bytes), plain: HashMap::new(), entries: vec![ChunkName::default()] }
    }

    /// The entry of the name in a line at byte `at`; a new one where the name is first mentioned.
    #[inline(always)]
    pub(super) fn entry(&mut self, spec: NameSpec<'a>, at: usize) -> u32 {
        if let NameSpec::Id(number) = spec
            && let Some(entry) = self.numbers.get(number)
        {
            return entry;
        }
        self.new_entry(spec, at)
    }

    /// The entry of a name that is new or not a plain number. A number keeps its first text; a different one is a clash.
    #[inline(never)]
    fn new_entry(&mut self, spec: NameSpec<'a>, at: usize) -> u32 {
        let next = self.entries.len() as u32;
        let (number, text) = match spec {
            NameSpec::Plain(text) => {
                let entry = *self.plain.entry(text).or_insert(next);
                if entry == next {
                    self.entries.push(ChunkName { text: Some(text), at, ..ChunkName::default() });
                }
                return entry;
            }
            NameSpec::Id(number) => (number, None),
            NameSpec::Defined(number, text) => (number, Some(text)),
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
        self.entries.push(ChunkName { number: Some(number), text, at, clash: None });
        next
    }
}

/// A reference to a function in a chunk: its number in the file or, with the highest bit set, an index into
/// [`ChunkFunctions::others`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FunctionRef(u32);

const OTHER: u32 = 1 << 31;

impl FunctionRef {
    /// The number in the file.
    #[inline(always)]
    pub(super) fn number(self) -> Option<u32> {
        (self.0 < OTHER).then_some(self.0)
    }

    /// The index into [`ChunkFunctions::others`] where there is no number.
    #[inline(always)]
    pub(super) fn other(self) -> usize {
        (self.0 & !OTHER) as usize
    }
}

/// The object and file of a function where it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NameContext {
    pub(super) object: u32,
    pub(super) file: u32,
    /// Whether the file is only assumed: a call named none, and `file` is that of the caller.
    pub(super) file_assumed: bool,
}

/// The definition of a function's name, with or without a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionNaming<'a> {
    pub(super) number: Option<u64>,
    pub(super) text: &'a [u8],
    pub(super) context: NameContext,
    pub(super) at: usize,
}

/// What a reference stands for that is not a small number.
#[derive(Debug, Clone, Copy)]
pub(super) enum IndirectRef {
    /// A number too large for a dense table.
    Number(u64),
    /// One of [`ChunkFunctions::namings`].
    Naming(u32),
}

/// The functions that a chunk mentions.
#[derive(Debug)]
pub(super) struct ChunkFunctions<'a> {
    /// Numbers from here on are referred to by an index, so that memory is bounded by the size of the input.
    limit: u64,
    large: HashMap<u64, FunctionRef>,
    plain: HashTable<FunctionRef>,
    hasher: DefaultHashBuilder,
    pub(super) others: Vec<IndirectRef>,
    /// The definitions of names, in the order of the file.
    pub(super) namings: Vec<FunctionNaming<'a>>,
}

impl<'a> ChunkFunctions<'a> {
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

    /// The function that the name in a line at byte `at` refers to.
    #[inline(always)]
    pub(super) fn reference(&mut self, spec: NameSpec<'a>, context: NameContext, at: usize) -> FunctionRef {
        match spec {
            NameSpec::Id(number) if number < self.limit => FunctionRef(number as u32),
            NameSpec::Id(number) => self.large(number),
            NameSpec::Defined(number, text) => {
                self.namings.push(FunctionNaming { number: Some(number), text, context, at });
                if number < self.limit { FunctionRef(number as u32) } else { self.large(number) }
            }
            NameSpec::Plain(text) => self.plain(FunctionNaming { number: None, text, context, at }),
        }
    }

    #[inline(never)]
    fn large(&mut self, number: u64) -> FunctionRef {
        let others = &mut self.others;
        *self.large.entry(number).or_insert_with(|| {
            others.push(IndirectRef::Number(number));
            FunctionRef(OTHER | (others.len() as u32 - 1))
        })
    }

    #[inline(never)]
    fn plain(&mut self, naming: FunctionNaming<'a>) -> FunctionRef {
        let (hasher, others, namings) = (&self.hasher, &self.others, &self.namings);
        let key = |reference: &FunctionRef| match others[reference.other()] {
            IndirectRef::Naming(naming) => (namings[naming as usize].text, namings[naming as usize].context),
            IndirectRef::Number(_) => (&b""[..], naming.context),
        };
        let wanted = (naming.text, naming.context);
        let hash = hasher.hash_one(wanted);
        if let Some(&reference) = self.plain.find(hash, |reference| key(reference) == wanted) {
            return reference;
        }
        let reference = FunctionRef(OTHER | others.len() as u32);
        // A growing table rehashes its entries, to which the new one does not belong yet.
        self.plain.insert_unique(hash, reference, |reference| hasher.hash_one(key(reference)));
        self.others.push(IndirectRef::Naming(self.namings.len() as u32));
        self.namings.push(naming);
        reference
    }
}
