//! Lines and inline stacks from DWARF, through addr2line.
//!
//! Sections are not copied; only compressed sections are inflated, to at most [`MOST_INFLATION`] times their size.

use std::borrow::Cow;

use gimli::{DwarfSections, EndianSlice, RunTimeEndian, SectionId};
use object::{CompressedData, CompressionFormat, Object, ObjectKind, ObjectSection};
use self_cell::self_cell;

use super::InlineFrame;
use crate::SymbolError;
use crate::demangle::demangle;

/// The largest accepted compression ratio. That of zlib is at most 1000; real debug sections are below 30.
const MOST_INFLATION: u64 = 256;

/// The limit for the depth of inlining; no compiler inlines that deep.
const MOST_FRAMES: usize = 1024;

type Context<'sections> = addr2line::Context<EndianSlice<'sections, RunTimeEndian>>;

/// The debug sections of a file and their byte order.
pub(super) struct Sections<'data> {
    sections: DwarfSections<Cow<'data, [u8]>>,
    endian: RunTimeEndian,
}

self_cell!(
    /// The line tables of addr2line, together with the sections they borrow from.
    pub(super) struct LineTables<'data> {
        owner: Sections<'data>,
        #[not_covariant]
        dependent: Context,
    }
);

/// Reads the line tables of a file; `None` if it has no debug information.
pub(super) fn read<'data>(file: &object::File<'data>) -> Result<Option<LineTables<'data>>, SymbolError> {
    if file.section_by_name(".debug_info").is_none() {
        return Ok(None);
    }
    if file.kind() == ObjectKind::Relocatable {
        return Err(SymbolError::NotLinked);
    }
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let sections = DwarfSections::load(|id| section(file, id))?;
    let lines = LineTables::try_new(Sections { sections, endian }, |owner| {
        addr2line::Context::from_dwarf(owner.sections.borrow(|bytes| EndianSlice::new(bytes, owner.endian)))
    })?;
    Ok(Some(lines))
}

/// Whether a section is used here; locations of variables and macros are not, and are not inflated.
fn is_needed(id: SectionId) -> bool {
    use SectionId::{
        DebugAbbrev, DebugAddr, DebugAranges, DebugInfo, DebugLine, DebugLineStr, DebugRanges, DebugRngLists,
        DebugStr, DebugStrOffsets,
    };
    matches!(
        id,
        DebugAbbrev
            | DebugAddr
            | DebugAranges
            | DebugInfo
            | DebugLine
            | DebugLineStr
            | DebugRanges
            | DebugRngLists
            | DebugStr
            | DebugStrOffsets
    )
}

fn section<'data>(file: &object::File<'data>, id: SectionId) -> Result<Cow<'data, [u8]>, SymbolError> {
    match file.section_by_name(id.name()).filter(|_| is_needed(id)) {
        Some(section) => inflate(id.name(), section.compressed_data()?),
        None => Ok(Cow::Borrowed(&[])),
    }
}

/// The decompressed bytes of a section; an error if its header claims an implausible size.
pub(super) fn inflate<'data>(
    name: &str,
    data: CompressedData<'data>,
) -> Result<Cow<'data, [u8]>, SymbolError> {
    let compressed = data.data.len() as u64;
    let is_plausible = data.uncompressed_size <= compressed.saturating_mul(MOST_INFLATION);
    if data.format != CompressionFormat::None && !is_plausible {
        let inflated = data.uncompressed_size;
        return Err(SymbolError::Bomb { section: name.to_owned(), compressed, inflated });
    }
    Ok(data.decompress()?)
}

impl LineTables<'_> {
    /// Calls `body` with the debug sections.
    pub(super) fn with_sections<T>(
        &self,
        body: impl FnOnce(gimli::Dwarf<EndianSlice<'_, RunTimeEndian>>) -> T,
    ) -> T {
        let owner = self.borrow_owner();
        body(owner.sections.borrow(|bytes| EndianSlice::new(bytes, owner.endian)))
    }
}

/// The inline stack at `address`, innermost first.
pub(super) fn frames(lines: &LineTables<'_>, address: u64) -> Result<Vec<InlineFrame>, gimli::Error> {
    lines.with_dependent(|_, context| {
        let mut found = context.find_frames(address).skip_all_loads()?;
        let mut frames = Vec::new();
        while let Some(frame) = found.next()? {
            frames.push(demangled(&frame));
            if frames.len() == MOST_FRAMES {
                break;
            }
        }
        Ok(frames)
    })
}

/// A frame of addr2line with a demangled name.
fn demangled(frame: &addr2line::Frame<'_, EndianSlice<'_, RunTimeEndian>>) -> InlineFrame {
    let function = frame.function.as_ref().and_then(|function| function.raw_name().ok());
    let location = frame.location.as_ref();
    InlineFrame {
        function: function.map(|name| demangle(&name).into_owned()),
        file: location.and_then(|location| location.file).map(str::to_owned),
        line: location.and_then(|location| location.line),
        column: location.and_then(|location| location.column),
    }
}
