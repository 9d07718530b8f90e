//! A program or library: its functions, lines, sections and identity.
//!
//! Addresses are those of the file (virtual addresses in ELF, with the preferred base in PE), not those of a process;
//! [`Binary::address_of_offset`] converts the file offsets that profilers record. Functions come from the symbol table,
//! the dynamic symbols, the symbols of a separate debug file, and the stubs of the PLT (`name@plt`).
//!
//! A `Binary` is `Send` but not `Sync`: the line tables are read on first use.

mod architecture;
mod flow;
mod identity;
mod lines;
mod plt;
mod symbols;
mod types;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{FileKind, Object, ObjectSection, ObjectSegment};

pub use architecture::Architecture;
pub use flow::BasicBlock;
pub use identity::Identity;
use identity::{build_id, hexadecimal};
use lines::LineTables;
use symbols::Symbols;

use crate::SymbolError;
use crate::class::short;
use crate::demangle::demangle;

/// A parsed executable, library or object file.
pub struct Binary<'data> {
    file: object::File<'data>,
    debug: Option<object::File<'data>>,
    /// The start of the file in the given bytes: a universal Mach-O file contains one file per architecture.
    file_offset: u64,
    symbols: Symbols<'data>,
    /// Contains `None` if there is no debug information, or if it cannot be read.
    lines: OnceCell<Option<LineTables<'data>>>,
    /// The first error in the debug information.
    problem: OnceCell<SymbolError>,
}

/// A function of the symbol table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// The mangled name, as in the file; stubs of the PLT end in `@plt`.
    pub name: &'a str,
    /// Its first instruction.
    pub address: u64,
    /// The length in bytes; if the file does not state it, up to the next function or the end of the section.
    pub size: u64,
}

impl<'a> Function<'a> {
    /// The demangled name.
    #[must_use]
    pub fn display(&self) -> Cow<'a, str> {
        demangle(self.name)
    }

    /// The range of its addresses.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.address..self.address.saturating_add(self.size)
    }
}

/// The function and the inline stack at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved<'a> {
    /// The function of the symbol table that contains the address.
    pub function: Option<Function<'a>>,
    /// The inline stack, innermost first: the last frame is the compiled function, and the others were inlined into it.
    /// An inlined function with internal linkage has a name without namespaces, since debug information has no other.
    /// Without debug information there is one frame with the symbol's name, or none if there is no symbol.
    pub frames: Vec<InlineFrame>,
}

/// One function of an inline stack, and the source position of the address in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InlineFrame {
    /// The demangled name.
    pub function: Option<String>,
    /// The source file, absolute where the compiler recorded its directory.
    pub file: Option<String>,
    /// Counted from 1.
    pub line: Option<u32>,
    /// Counted from 1.
    pub column: Option<u32>,
}

/// A segment of a file that is loaded into memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    start: u64,
    size: u64,
    address: u64,
}

impl Segment {
    /// The address at which a byte of the file is loaded, if it is in this segment.
    pub(crate) fn address_of_offset(&self, offset: u64) -> Option<u64> {
        let within = offset.checked_sub(self.start).filter(|&within| within < self.size)?;
        self.address.checked_add(within)
    }
}

/// The link from a stripped binary to its debug file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugLink {
    /// A file name without directory.
    pub name: String,
    /// The checksum of the whole debug file.
    pub crc: u32,
}

impl DebugLink {
    /// Whether `debug` is the content of the linked file.
    #[must_use]
    pub fn matches(&self, debug: &[u8]) -> bool {
        crc32fast::hash(debug) == self.crc
    }
}

impl<'data> Binary<'data> {
    /// Reads the headers and symbols of an ELF, Mach-O or PE file.
    ///
    /// Of a universal Mach-O file, the first architecture that can be disassembled is used.
    pub fn parse(bytes: &'data [u8]) -> Result<Self, SymbolError> {
        let (file, file_offset) = open(bytes)?;
        let symbols = Symbols::read(&file, None, bytes.len());
        Ok(Self::new(file, file_offset, None, symbols))
    }

    /// A stripped binary with its debug information in a separate file (`.debug`, `.dSYM`).
    pub fn with_debug(bytes: &'data [u8], debug_bytes: &'data [u8]) -> Result<Self, SymbolError> {
        let (file, file_offset) = open(bytes)?;
        let (debug, _) = open(debug_bytes)?;
        if let (Some(program), Some(debug)) = (build_id(&file), build_id(&debug))
            && program != debug
        {
            return Err(SymbolError::OtherBuild {
                program: hexadecimal(&program),
                debug: hexadecimal(&debug),
            });
        }
        let symbols = Symbols::read(&file, Some(&debug), bytes.len() + debug_bytes.len());
        Ok(Self::new(file, file_offset, Some(debug), symbols))
    }

    fn new(
        file: object::File<'data>,
        file_offset: u64,
        debug: Option<object::File<'data>>,
        symbols: Symbols<'data>,
    ) -> Self {
        Binary { file, debug, file_offset, symbols, lines: OnceCell::new(), problem: OnceCell::new() }
    }

    /// All functions, sorted by address, one per address.
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = Function<'_>> {
        self.symbols.iter()
    }

    /// The function that contains an address.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<Function<'_>> {
        self.symbols.at(address)
    }

    /// The function with exactly this mangled or demangled name; the first of several.
    #[must_use]
    pub fn function_named(&self, name: &str) -> Option<Function<'_>> {
        self.symbols.named(name)
    }

    /// Function and inline stack at an address.
    ///
    /// Damaged debug information is treated as missing; [`Binary::debug_problem`] then returns the error.
    #[must_use]
    pub fn resolve(&self, address: u64) -> Resolved<'_> {
        let function = self.function_at(address);
        let mut frames = self.frames(address);
        if let Some(function) = function {
            name_outermost(&mut frames, function, self.symbols.is_exported(function.address));
        }
        Resolved { function, frames }
    }

    /// The sizes of types in bytes, by full name; empty without debug information.
    #[must_use]
    pub fn type_sizes(&self) -> std::collections::HashMap<String, u64> {
        self.lines().into_iter().flat_map(types::sizes).collect()
    }

    /// The basic blocks that LLVM's coverage pass lists (`-sanitizer-coverage-control-flow`); none without its table.
    #[must_use]
    pub fn basic_blocks(&self) -> Vec<BasicBlock> {
        flow::blocks(&self.file)
    }

    /// Whether there are line tables.
    #[must_use]
    pub fn has_lines(&self) -> bool {
        self.lines().is_some()
    }

    /// The first error that was found in the debug information so far.
    #[must_use]
    pub fn debug_problem(&self) -> Option<&SymbolError> {
        self.problem.get()
    }

    /// The address at which a byte of the file is loaded, for profilers that record file offsets.
    #[must_use]
    pub fn address_of_offset(&self, file_offset: u64) -> Option<u64> {
        self.segments().find_map(|segment| segment.address_of_offset(file_offset))
    }

    /// The segments of the file that are loaded.
    pub(crate) fn segments(&self) -> impl Iterator<Item = Segment> {
        self.file.segments().map(|segment| {
            let (start, size) = segment.file_range();
            Segment { start: start.saturating_add(self.file_offset), size, address: segment.address() }
        })
    }

    /// The id of this build: the build id of an ELF file, the UUID of a Mach-O file, the GUID of a Windows program.
    #[must_use]
    pub fn build_id(&self) -> Option<Vec<u8>> {
        build_id(&self.file)
    }

    /// Whether the file, or its debug file, has a symbol table; a stripped file has none.
    #[must_use]
    pub fn has_symbol_table(&self) -> bool {
        let files = [Some(&self.file), self.debug.as_ref()];
        files.into_iter().flatten().any(|file| file.symbols().next().is_some())
    }

    /// The link to a separate debug file, if there is one.
    #[must_use]
    pub fn debug_link(&self) -> Option<DebugLink> {
        let (name, crc) = self.file.gnu_debuglink().ok().flatten()?;
        Some(DebugLink { name: String::from_utf8_lossy(name).into_owned(), crc })
    }

    /// The architecture of the code.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.file.architecture().into()
    }

    /// Whether it can be loaded at any address, so that the addresses in a process differ from those of the file.
    #[must_use]
    pub fn is_position_independent(&self) -> bool {
        match self.file.flags() {
            object::FileFlags::MachO { flags } => flags.contains(object::macho::MH_PIE) || self.is_library(),
            object::FileFlags::Coff { characteristics } => {
                !characteristics.contains(object::pe::IMAGE_FILE_RELOCS_STRIPPED)
            }
            _ => self.is_library(),
        }
    }

    /// Whether it is a shared object, which in ELF includes position-independent executables.
    fn is_library(&self) -> bool {
        self.file.kind() == object::ObjectKind::Dynamic
    }

    /// The bytes of code at `range`, truncated at the end of the section.
    pub(crate) fn code(&self, range: &Range<u64>) -> Option<&'data [u8]> {
        let section = self.file.sections().find(|section| {
            let size = section.size();
            symbols::is_code(section)
                && range.start.checked_sub(section.address()).is_some_and(|at| at < size)
        })?;
        let start = usize::try_from(range.start - section.address()).ok()?;
        let length = usize::try_from(range.end.checked_sub(range.start)?).ok()?;
        let data = section.data().ok()?.get(start..)?;
        Some(&data[..length.min(data.len())])
    }

    /// Address and decompressed bytes of a section, from the binary or else from its debug file.
    pub(crate) fn section(&self, name: &str) -> Option<(u64, Cow<'data, [u8]>)> {
        let mut files = std::iter::once(&self.file).chain(&self.debug);
        let bytes = |file: &object::File<'data>| {
            let section = file.section_by_name(name)?;
            let bytes = lines::inflate(name, section.compressed_data().ok()?).ok()?;
            (!bytes.is_empty()).then(|| (section.address(), bytes))
        };
        files.find_map(bytes)
    }

    /// The address of a section.
    pub(crate) fn section_address(&self, name: &str) -> Option<u64> {
        self.file.section_by_name(name).map(|section| section.address())
    }

    fn frames(&self, address: u64) -> Vec<InlineFrame> {
        let found = self.lines().map_or(Ok(Vec::new()), |lines| lines::frames(lines, address));
        found.unwrap_or_else(|error| {
            self.problem.get_or_init(|| error.into());
            Vec::new()
        })
    }

    fn lines(&self) -> Option<&LineTables<'data>> {
        let read = || {
            lines::read(self.debug.as_ref().unwrap_or(&self.file)).unwrap_or_else(|error| {
                self.problem.get_or_init(|| error);
                None
            })
        };
        self.lines.get_or_init(read).as_ref()
    }
}

/// Gives the outermost frame the name of the symbol if debug information has no name for it, or one without namespaces:
/// compilers omit the mangled name of functions with internal linkage. A library that exports a function under a plain name may
/// define it under another (`__GI___libc_malloc` in glibc); callers know the plain one.
fn name_outermost(frames: &mut Vec<InlineFrame>, symbol: Function<'_>, is_exported: bool) {
    if frames.is_empty() {
        frames.push(InlineFrame::default());
    }
    let Some(outermost) = frames.last_mut() else { return };
    let display = symbol.display();
    let is_part = |name: &String| matches!(display, Cow::Owned(_)) && short(&display) == name;
    let is_internal =
        |name: &String| is_exported && name.starts_with("__") && symbols::leading_underscores(&display) == 0;
    if outermost.function.as_ref().is_none_or(|name| is_part(name) || is_internal(name)) {
        outermost.function = Some(display.into_owned());
    }
}

/// Parses an object file; of a universal Mach-O file, the one that `slice` chooses, with its offset.
fn open(bytes: &[u8]) -> Result<(object::File<'_>, u64), SymbolError> {
    let range = match FileKind::parse(bytes)? {
        FileKind::MachOFat32 => slice(MachOFatFile32::parse(bytes)?.arches()),
        FileKind::MachOFat64 => slice(MachOFatFile64::parse(bytes)?.arches()),
        _ => None,
    };
    let (start, size) = range.unwrap_or((0, bytes.len() as u64));
    let end = usize::try_from(start.saturating_add(size)).unwrap_or(usize::MAX);
    let file = usize::try_from(start).ok().and_then(|start| bytes.get(start..end));
    let file =
        file.ok_or(SymbolError::CutShort { bytes: bytes.len(), needed: start.saturating_add(size) })?;
    Ok((object::File::parse(file)?, start))
}

/// Offset and size of the file for the first architecture that can be disassembled, or else for the first one.
fn slice(arches: &[impl FatArch]) -> Option<(u64, u64)> {
    let is_known = |arch: &&_| !matches!(FatArch::architecture(*arch).into(), Architecture::Other(_));
    arches.iter().find(is_known).or(arches.first()).map(FatArch::file_range)
}
