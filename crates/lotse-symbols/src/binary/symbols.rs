//! The functions of a file in a table sorted by address.
//!
//! Of several names for an address one is kept: with a size before without, global before weak before local,
//! fewer leading underscores, then alphabetically. Labels inside a function are left out.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::hash::{BuildHasher, RandomState};

use object::{
    BinaryFormat, ExportTarget, NameOrOrdinal, Object, ObjectSection, ObjectSymbol, SectionFlags,
    SectionKind, SymbolKind, elf,
};

use super::{Function, plt};
use crate::demangle::demangle;

/// How many functions before an address may reach over it: hand-written code nests, compilers' code does not.
const MOST_NESTING: usize = 16;

pub(super) struct Symbols<'data> {
    sorted: Vec<Symbol<'data>>,
    /// Hashes of readable names, sorted, with places in `sorted`.
    by_name: OnceCell<(RandomState, Vec<(u64, usize)>)>,
}

/// A function as read, before the table is cleaned up.
pub(super) struct Symbol<'data> {
    pub(super) name: Cow<'data, str>,
    pub(super) address: u64,
    /// 0 where the file does not say.
    pub(super) size: u64,
    pub(super) binding: Binding,
}

/// How far a name is seen, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Global,
    Weak,
    Local,
    /// Not a symbol of the file's but derived from its code.
    Stub,
}

impl<'data> Symbols<'data> {
    pub(super) fn read(file: &object::File<'data>, debug: Option<&object::File<'data>>, bytes: usize) -> Self {
        let mut names = NameReader::new(file, bytes);
        let mut found = Vec::new();
        for file in std::iter::once(file).chain(debug) {
            collect(file, file.symbols(), &mut names, &mut found);
            collect(file, file.dynamic_symbols(), &mut names, &mut found);
        }
        plt::collect(file, &mut names, &mut found);
        exports(file, &mut names, &mut found);
        Symbols { sorted: clean(found, &code_ranges(file)), by_name: OnceCell::new() }
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Function<'_>> {
        self.sorted.iter().map(Symbol::function)
    }

    pub(super) fn at(&self, address: u64) -> Option<Function<'_>> {
        let end = self.sorted.partition_point(|symbol| symbol.address <= address);
        let near = self.sorted[..end].iter().rev().take(MOST_NESTING);
        near.map(Symbol::function).find(|function| address - function.address < function.size)
    }

    pub(super) fn named(&self, name: &str) -> Option<Function<'_>> {
        let (state, hashes) = self.by_name.get_or_init(|| self.index());
        let exact = self.candidates(state.hash_one(name), hashes).find(|function| function.name == name);
        exact.or_else(|| {
            self.candidates(state.hash_one(name), hashes).find(|function| function.display() == name)
        })
    }

    fn candidates<'a>(&'a self, hash: u64, hashes: &'a [(u64, usize)]) -> impl Iterator<Item = Function<'a>> {
        let start = hashes.partition_point(|&(other, _)| other < hash);
        let same = hashes[start..].iter().take_while(move |&&(other, _)| other == hash);
        same.map(|&(_, place)| self.sorted[place].function())
    }

    /// Hashes rather than names: readable names can be much longer than the file.
    fn index(&self) -> (RandomState, Vec<(u64, usize)>) {
        let state = RandomState::new();
        let mut hashes = Vec::with_capacity(2 * self.sorted.len());
        for (place, symbol) in self.sorted.iter().enumerate() {
            hashes.push((state.hash_one(&*symbol.name), place));
            if let Cow::Owned(readable) = demangle(&symbol.name) {
                hashes.push((state.hash_one(&*readable), place));
            }
        }
        hashes.sort_unstable();
        (state, hashes)
    }
}

impl Symbol<'_> {
    fn function(&self) -> Function<'_> {
        Function { name: &self.name, address: self.address, size: self.size }
    }
}

/// Reads names and stops when they get longer together than any honest file's: symbols can share a name's
/// bytes, so that a small file could hold gigabytes of names.
pub(super) struct NameReader {
    left: usize,
    strip_underscore: bool,
}

impl NameReader {
    fn new(file: &object::File<'_>, bytes: usize) -> Self {
        NameReader { left: bytes.saturating_mul(4), strip_underscore: file.format() == BinaryFormat::MachO }
    }

    /// A symbol's name; Mach-O puts an underscore before all.
    pub(super) fn read<'data>(&mut self, bytes: &'data [u8]) -> Option<Cow<'data, str>> {
        self.left = self.left.checked_sub(bytes.len())?;
        let stripped = bytes.strip_prefix(b"_").filter(|_| self.strip_underscore);
        let name = stripped.unwrap_or(bytes);
        (!name.is_empty()).then(|| String::from_utf8_lossy(name))
    }

    pub(super) fn are_spent(&self) -> bool {
        self.left == 0
    }
}

/// Whether a section holds instructions; a debug file has the section without its bytes.
pub(super) fn is_code<'data>(section: &impl ObjectSection<'data>) -> bool {
    section.kind() == SectionKind::Text
        || matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(elf::SHF_EXECINSTR))
}

fn collect<'data: 'file, 'file, S: ObjectSymbol<'data>>(
    file: &object::File<'data>,
    symbols: impl Iterator<Item = S>,
    names: &mut NameReader,
    found: &mut Vec<Symbol<'data>>,
) {
    let code: std::collections::HashSet<_> =
        file.sections().filter(is_code).map(|section| section.index()).collect();
    for symbol in symbols.filter(|symbol| symbol.section_index().is_some_and(|index| code.contains(&index))) {
        let Some(bytes) = symbol.name_bytes().ok() else { continue };
        let Some(name) = names.read(bytes) else {
            if names.are_spent() {
                return;
            }
            continue;
        };
        if is_function(symbol.kind(), &name) {
            found.push(Symbol {
                name,
                address: symbol.address(),
                size: symbol.size(),
                binding: binding(&symbol),
            });
        }
    }
}

/// Assembly labels have no kind; `$x` marks code among data on ARM, `.L` is a label for the assembler alone.
fn is_function(kind: SymbolKind, name: &str) -> bool {
    match kind {
        SymbolKind::Text => true,
        SymbolKind::Unknown | SymbolKind::Label => !name.starts_with('$') && !name.starts_with(".L"),
        _ => false,
    }
}

fn binding<'data>(symbol: &impl ObjectSymbol<'data>) -> Binding {
    match (symbol.is_weak(), symbol.is_global()) {
        (true, _) => Binding::Weak,
        (false, true) => Binding::Global,
        (false, false) => Binding::Local,
    }
}

/// A Windows library without symbols still names what it exports.
fn exports<'data>(file: &object::File<'data>, names: &mut NameReader, found: &mut Vec<Symbol<'data>>) {
    if file.format() != BinaryFormat::Pe {
        return;
    }
    let Ok(exports) = file.exports() else { return };
    // A damaged table ends the names, not the reading: the rest of the file is still of use.
    for export in exports.map_while(Result::ok) {
        let ExportTarget::Address { address } = export.target() else { continue };
        let NameOrOrdinal::Name(name) = export.name() else { continue };
        if let Some(name) = names.read(name) {
            let name = Cow::Owned(name.into_owned());
            found.push(Symbol { name, address, size: 0, binding: Binding::Global });
        }
    }
}

/// Start and end of the sections that hold code, sorted.
fn code_ranges(file: &object::File<'_>) -> Vec<(u64, u64)> {
    let range = |section: object::Section<'_, '_>| {
        (section.address(), section.address().saturating_add(section.size()))
    };
    let mut ranges: Vec<_> = file.sections().filter(is_code).map(range).collect();
    ranges.sort_unstable();
    ranges
}

fn clean<'data>(mut found: Vec<Symbol<'data>>, code: &[(u64, u64)]) -> Vec<Symbol<'data>> {
    found.sort_by(|a, b| (a.address, rank(a)).cmp(&(b.address, rank(b))));
    found.dedup_by_key(|symbol| symbol.address);
    let mut covered = 0;
    found.retain(|symbol| {
        let is_label = symbol.size == 0 && symbol.address < covered;
        covered = covered.max(symbol.address.saturating_add(symbol.size));
        !is_label
    });
    let mut next = u64::MAX;
    for symbol in found.iter_mut().rev() {
        if symbol.size == 0 {
            symbol.size = next.min(section_end(code, symbol.address)) - symbol.address;
        }
        next = symbol.address;
    }
    found
}

fn rank<'a>(symbol: &'a Symbol<'_>) -> (bool, Binding, usize, &'a str) {
    let underscores = symbol.name.bytes().take_while(|&byte| byte == b'_').count();
    (symbol.size == 0, symbol.binding, underscores, &symbol.name)
}

/// The end of the code around an address, or the address itself where there is none.
fn section_end(code: &[(u64, u64)], address: u64) -> u64 {
    let before = code.partition_point(|&(start, _)| start <= address);
    code[..before].last().map_or(address, |&(_, end)| end.max(address))
}
