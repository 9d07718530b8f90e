//! The functions of a file in a table sorted by address.
//!
//! Of several names for an address one is kept: names with a size are preferred, then exported before local ones, then those
//! with fewer leading underscores, then global before weak ones, then the shortest (`free` before `cfree`), then the first in
//! alphabetical order. Labels inside a function are left out.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::hash::{BuildHasher, RandomState};

use object::{
    BinaryFormat, ExportTarget, NameOrOrdinal, Object, ObjectSection, ObjectSymbol, SectionFlags,
    SectionKind, SymbolKind, elf,
};

use super::{Function, plt};
use crate::demangle::demangle;

/// The number of preceding functions that are checked for containing an address: functions in hand-written assembly can be
/// nested.
const MOST_NESTING: usize = 16;

pub(super) struct Symbols<'data> {
    sorted: Vec<Symbol<'data>>,
    /// Sorted hashes of mangled and demangled names, with indices into `sorted`.
    by_name: OnceCell<(RandomState, Vec<(u64, usize)>)>,
}

/// A function of the symbol table.
pub(super) struct Symbol<'data> {
    pub(super) name: Cow<'data, str>,
    pub(super) address: u64,
    /// 0 if the file does not state it.
    pub(super) size: u64,
    pub(super) binding: Binding,
}

/// The visibility of a symbol, in order of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Global,
    Weak,
    Local,
    /// A PLT stub, which has no symbol in the file.
    Stub,
}

impl<'data> Symbols<'data> {
    /// Reads the functions of a file of `bytes` bytes and of its debug file.
    pub(super) fn read(
        file: &object::File<'data>,
        debug: Option<&object::File<'data>>,
        bytes: usize,
    ) -> Self {
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
        self.symbol_at(address).map(Symbol::function)
    }

    /// Whether the function that contains an address is visible to other binaries.
    pub(super) fn is_exported(&self, address: u64) -> bool {
        self.symbol_at(address).is_some_and(Symbol::is_exported)
    }

    fn symbol_at(&self, address: u64) -> Option<&Symbol<'data>> {
        let end = self.sorted.partition_point(|symbol| symbol.address <= address);
        let mut near = self.sorted[..end].iter().rev().take(MOST_NESTING);
        near.find(|symbol| address - symbol.address < symbol.size)
    }

    pub(super) fn named(&self, name: &str) -> Option<Function<'_>> {
        let (state, hashes) = self.by_name.get_or_init(|| self.index());
        let exact = self.candidates(state.hash_one(name), hashes).find(|function| function.name == name);
        exact.or_else(|| {
            self.candidates(state.hash_one(name), hashes).find(|function| function.display() == name)
        })
    }

    /// The functions whose mangled or demangled name has this hash.
    fn candidates<'a>(&'a self, hash: u64, hashes: &'a [(u64, usize)]) -> impl Iterator<Item = Function<'a>> {
        let start = hashes.partition_point(|&(other, _)| other < hash);
        let same = hashes[start..].iter().take_while(move |&&(other, _)| other == hash);
        same.map(|&(_, index)| self.sorted[index].function())
    }

    /// Builds the index by name. It contains hashes, since demangled names can be much longer than the file.
    fn index(&self) -> (RandomState, Vec<(u64, usize)>) {
        let state = RandomState::new();
        let mut hashes = Vec::with_capacity(2 * self.sorted.len());
        for (index, symbol) in self.sorted.iter().enumerate() {
            hashes.push((state.hash_one(&*symbol.name), index));
            if let Cow::Owned(demangled) = demangle(&symbol.name) {
                hashes.push((state.hash_one(&*demangled), index));
            }
        }
        hashes.sort_unstable();
        (state, hashes)
    }
}

impl Symbol<'_> {
    fn is_exported(&self) -> bool {
        matches!(self.binding, Binding::Global | Binding::Weak)
    }

    fn function(&self) -> Function<'_> {
        Function { name: &self.name, address: self.address, size: self.size }
    }
}

/// Reads names up to a limit of their total length: symbols can share the bytes of a name, so that a small hostile file
/// could contain gigabytes of names.
pub(super) struct NameReader {
    /// The remaining bytes.
    left: usize,
    strip_underscore: bool,
}

impl NameReader {
    fn new(file: &object::File<'_>, bytes: usize) -> Self {
        NameReader { left: bytes.saturating_mul(4), strip_underscore: file.format() == BinaryFormat::MachO }
    }

    /// The name of a symbol, without the underscore that Mach-O puts before all names; `None` if empty or over the limit.
    pub(super) fn read<'data>(&mut self, bytes: &'data [u8]) -> Option<Cow<'data, str>> {
        self.left = self.left.checked_sub(bytes.len())?;
        let stripped = bytes.strip_prefix(b"_").filter(|_| self.strip_underscore);
        let name = stripped.unwrap_or(bytes);
        (!name.is_empty()).then(|| String::from_utf8_lossy(name))
    }

    /// Whether the limit is reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left == 0
    }
}

/// Whether a section contains instructions; in a debug file the section has no bytes.
pub(super) fn is_code<'data>(section: &impl ObjectSection<'data>) -> bool {
    section.kind() == SectionKind::Text
        || matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(elf::SHF_EXECINSTR))
}

/// Appends all functions among `symbols`, that is, symbols in sections of code that are functions or labels.
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
            if names.is_exhausted() {
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

/// Whether a symbol can be a function. Labels in assembly have no kind; `$x` marks code among data on ARM, and `.L` is a
/// local label of the assembler.
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

/// Appends the exported functions of a Windows library, which has them even without a symbol table.
fn exports<'data>(file: &object::File<'data>, names: &mut NameReader, found: &mut Vec<Symbol<'data>>) {
    if file.format() != BinaryFormat::Pe {
        return;
    }
    let Ok(exports) = file.exports() else { return };
    // A damaged table ends the list of exports; the rest of the file is still used.
    for export in exports.map_while(Result::ok) {
        let ExportTarget::Address { address } = export.target() else { continue };
        let NameOrOrdinal::Name(name) = export.name() else { continue };
        if let Some(name) = names.read(name) {
            let name = Cow::Owned(name.into_owned());
            found.push(Symbol { name, address, size: 0, binding: Binding::Global });
        }
    }
}

/// Start and end of the sections of code, sorted.
fn code_ranges(file: &object::File<'_>) -> Vec<(u64, u64)> {
    let range = |section: object::Section<'_, '_>| {
        (section.address(), section.address().saturating_add(section.size()))
    };
    let mut ranges: Vec<_> = file.sections().filter(is_code).map(range).collect();
    ranges.sort_unstable();
    ranges
}

/// Sorts symbols by address and keeps the best one per address, removes labels inside functions, and fills in missing sizes
/// up to the next function or the end of the section.
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

/// Without a size, visibility, underscores, binding, length, name.
type SymbolRank<'a> = (bool, Binding, usize, Binding, usize, &'a str);

/// The sort key by which the best of several symbols at an address comes first.
fn rank<'a>(symbol: &'a Symbol<'_>) -> SymbolRank<'a> {
    // Global and weak names are both exported.
    let reach = if symbol.is_exported() { Binding::Global } else { symbol.binding };
    let (underscores, length) = (leading_underscores(&symbol.name), symbol.name.len());
    (symbol.size == 0, reach, underscores, symbol.binding, length, &symbol.name)
}

/// How many underscores a name begins with. Names of the implementation, such as `__libc_malloc`, begin with two.
pub(super) fn leading_underscores(name: &str) -> usize {
    name.bytes().take_while(|&byte| byte == b'_').count()
}

/// The end of the section of code that contains an address, or the address itself if there is none.
fn section_end(code: &[(u64, u64)], address: u64) -> u64 {
    let before = code.partition_point(|&(start, _)| start <= address);
    code[..before].last().map_or(address, |&(_, end)| end.max(address))
}
