//! Sections of call frame information: an index of their functions, and the rules at an address.

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Encoding, EndianSlice, FrameDescriptionEntry,
    LittleEndian, Register, RegisterRule, UnwindContext, UnwindOffset, UnwindSection,
};

use crate::Binary;

pub(super) type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// A section with its own copy of the bytes.
pub(super) struct CallFrames {
    bytes: Vec<u8>,
    kind: SectionKind,
    bases: BaseAddresses,
    /// Sorted by start.
    functions: Vec<FunctionRange>,
}

/// The kind of a section of call frame information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SectionKind {
    /// `.eh_frame`, which is needed for exceptions and loaded with the program.
    Eh,
    /// `.debug_frame`, for debuggers.
    Debug,
}

/// The address range of a function, and the offset of its description in the section.
#[derive(Clone, Copy, Debug)]
struct FunctionRange {
    start: u64,
    end: u64,
    offset: usize,
}

/// The rules that compute the caller's registers at an address.
pub(super) struct UnwindRow {
    /// The index of the section in the table.
    pub(super) section: usize,
    pub(super) cfa: CfaRule<usize>,
    pub(super) rules: Vec<(Register, RegisterRule<usize>)>,
    pub(super) return_address: Register,
    /// Whether the function is a signal trampoline, to which a signal handler returns.
    pub(super) is_signal: bool,
    pub(super) encoding: Encoding,
    /// Whether the next rules are relative to the saved frame pointer of x86-64: this row is inside of `push rbp; mov rbp, rsp`.
    pub(super) is_before_frame: bool,
}

/// The rule of the frame address after `push rbp; mov rbp, rsp`.
const IN_FRAME: CfaRule<usize> = CfaRule::RegisterAndOffset { register: Register(6), offset: 16 };
/// The rule before its last instruction.
const BEFORE_FRAME: CfaRule<usize> = CfaRule::RegisterAndOffset { register: Register(7), offset: 16 };

/// The sections of a binary that describe at least one function.
pub(super) fn of_binary(binary: &Binary<'_>) -> Vec<CallFrames> {
    let kinds = [(".eh_frame", SectionKind::Eh), (".debug_frame", SectionKind::Debug)];
    let read = kinds.into_iter().filter_map(|(name, kind)| CallFrames::read(binary, name, kind));
    read.filter(|section| !section.functions.is_empty()).collect()
}

impl CallFrames {
    fn read(binary: &Binary<'_>, name: &str, kind: SectionKind) -> Option<Self> {
        let (address, bytes) = binary.section(name)?;
        let start = |name: &str| binary.section_address(name).unwrap_or(0);
        let bases = BaseAddresses::default().set_eh_frame(address).set_text(start(".text"));
        let bases = bases.set_got(start(".got"));
        let mut section = Self { bytes: bytes.into_owned(), kind, bases, functions: Vec::new() };
        section.functions = match kind {
            SectionKind::Eh => functions(&section.eh(), &section.bases),
            SectionKind::Debug => functions(&section.debug(), &section.bases),
        };
        Some(section)
    }

    /// A section without a binary around it, at address 0.
    #[cfg(test)]
    pub(super) fn of_eh_frame(bytes: Vec<u8>) -> Self {
        let bases = BaseAddresses::default().set_eh_frame(0);
        let mut section = Self { bytes, kind: SectionKind::Eh, bases, functions: Vec::new() };
        section.functions = functions(&section.eh(), &section.bases);
        section
    }

    /// Whether this is `.eh_frame`, which is loaded with the program.
    pub(super) fn is_for_exceptions(&self) -> bool {
        self.kind == SectionKind::Eh
    }

    fn slice(&self) -> Bytes<'_> {
        EndianSlice::new(&self.bytes, LittleEndian)
    }

    fn eh(&self) -> EhFrame<Bytes<'_>> {
        let mut section = EhFrame::from(self.slice());
        section.set_address_size(8);
        section
    }

    fn debug(&self) -> DebugFrame<Bytes<'_>> {
        let mut section = DebugFrame::from(self.slice());
        section.set_address_size(8);
        section
    }

    /// The described function that contains an address.
    fn function_at(&self, address: u64) -> Option<&FunctionRange> {
        let next = self.functions.partition_point(|function| function.start <= address);
        self.functions[..next].last().filter(|function| address < function.end)
    }

    /// The first address of the described function that contains an address.
    pub(super) fn start_at(&self, address: u64) -> Option<u64> {
        self.function_at(address).map(|function| function.start)
    }

    /// The rules at an address; `None` if no described function contains it.
    pub(super) fn row(&self, number: usize, address: u64) -> Option<UnwindRow> {
        let function = self.function_at(address)?;
        match self.kind {
            SectionKind::Eh => self.row_in(&self.eh(), function.offset, (number, address)),
            SectionKind::Debug => self.row_in(&self.debug(), function.offset, (number, address)),
        }
    }

    /// Executes the description at `offset` up to an address.
    fn row_in<'a, S: UnwindSection<Bytes<'a>>>(
        &self,
        section: &S,
        offset: usize,
        (number, address): (usize, u64),
    ) -> Option<UnwindRow> {
        let found = section.fde_from_offset(&self.bases, S::Offset::from(offset), S::cie_from_offset);
        let function = found.ok()?;
        let mut context = UnwindContext::new();
        let mut table = function.rows(section, &self.bases, &mut context).ok()?;
        let (cfa, rules) = loop {
            let row = table.next_row().ok()??;
            if row.contains(address) {
                break (row.cfa().clone(), row.registers().cloned().collect());
            }
        };
        let is_before_frame = cfa == BEFORE_FRAME
            && table.next_row().ok().flatten().is_some_and(|next| *next.cfa() == IN_FRAME);
        Some(UnwindRow {
            section: number,
            cfa,
            rules,
            return_address: function.cie().return_address_register(),
            is_signal: function.is_signal_trampoline(),
            encoding: function.cie().encoding(),
            is_before_frame,
        })
    }

    /// The bytes of a DWARF expression.
    pub(super) fn expression(&self, at: &gimli::UnwindExpression<usize>) -> Option<Bytes<'_>> {
        let end = at.offset.checked_add(at.length)?;
        Some(EndianSlice::new(self.bytes.get(at.offset..end)?, LittleEndian))
    }
}

/// All functions of a section, up to the first damaged entry, sorted by address.
fn functions<'a, S: UnwindSection<Bytes<'a>>>(section: &S, bases: &BaseAddresses) -> Vec<FunctionRange> {
    let mut entries = section.entries(bases);
    let mut common = None;
    let mut functions = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        match entry {
            CieOrFde::Cie(cie) => common = Some(cie),
            CieOrFde::Fde(partial) => {
                let parsed = partial.parse(|section, bases, offset| match &common {
                    // Most descriptions follow their common information entry.
                    Some(cie) if cie.offset() == UnwindOffset::into(offset) => Ok(cie.clone()),
                    _ => section.cie_from_offset(bases, offset),
                });
                functions.extend(parsed.ok().and_then(|function| range_of(&function)));
            }
        }
    }
    functions.sort_unstable_by_key(|function| (function.start, function.offset));
    functions
}

/// The address range of a function; `None` if it is empty.
fn range_of(function: &FrameDescriptionEntry<Bytes<'_>>) -> Option<FunctionRange> {
    let start = function.initial_address();
    let end = start.checked_add(function.len()).filter(|&end| end > start)?;
    Some(FunctionRange { start, end, offset: function.offset() })
}
