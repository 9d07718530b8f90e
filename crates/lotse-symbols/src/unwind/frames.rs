//! A section of call frame information: an index of its functions, and the rules at an address.

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Encoding, EndianSlice, FrameDescriptionEntry,
    LittleEndian, Register, RegisterRule, UnwindContext, UnwindOffset, UnwindSection,
};

use crate::Binary;

pub(super) type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// A section with its own copy of the bytes.
pub(super) struct CallFrames {
    bytes: Vec<u8>,
    form: SectionKind,
    bases: BaseAddresses,
    /// By start.
    functions: Vec<FunctionRange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SectionKind {
    /// What programs need to throw exceptions; loaded with them.
    Eh,
    /// What debuggers need besides.
    Debug,
}

/// A function, and where its description begins.
#[derive(Clone, Copy, Debug)]
struct FunctionRange {
    start: u64,
    end: u64,
    offset: usize,
}

/// How to find the caller's registers from an address.
pub(super) struct UnwindRow {
    /// Which section of the table.
    pub(super) section: usize,
    pub(super) cfa: CfaRule<usize>,
    pub(super) rules: Vec<(Register, RegisterRule<usize>)>,
    pub(super) return_address: Register,
    /// Whether the function is where a signal handler returns to.
    pub(super) is_signal: bool,
    pub(super) encoding: Encoding,
}

/// The sections of a binary that describe anything.
pub(super) fn of_binary(binary: &Binary<'_>) -> Vec<CallFrames> {
    let forms = [(".eh_frame", SectionKind::Eh), (".debug_frame", SectionKind::Debug)];
    let read = forms.into_iter().filter_map(|(name, form)| CallFrames::read(binary, name, form));
    read.filter(|section| !section.functions.is_empty()).collect()
}

impl CallFrames {
    fn read(binary: &Binary<'_>, name: &str, form: SectionKind) -> Option<Self> {
        let (address, bytes) = binary.section(name)?;
        let start = |name: &str| binary.section_address(name).unwrap_or(0);
        let bases = BaseAddresses::default().set_eh_frame(address).set_text(start(".text"));
        let bases = bases.set_got(start(".got"));
        let mut section = Self { bytes: bytes.into_owned(), form, bases, functions: Vec::new() };
        section.functions = match form {
            SectionKind::Eh => functions(&section.eh(), &section.bases),
            SectionKind::Debug => functions(&section.debug(), &section.bases),
        };
        Some(section)
    }

    /// A section without a binary around it, at address 0.
    #[cfg(test)]
    pub(super) fn of_eh_frame(bytes: Vec<u8>) -> Self {
        let bases = BaseAddresses::default().set_eh_frame(0);
        let mut section = Self { bytes, form: SectionKind::Eh, bases, functions: Vec::new() };
        section.functions = functions(&section.eh(), &section.bases);
        section
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

    /// The rules at an address; `None` where no function is described there.
    pub(super) fn row(&self, number: usize, address: u64) -> Option<UnwindRow> {
        let next = self.functions.partition_point(|function| function.start <= address);
        let function = self.functions[..next].last().filter(|function| address < function.end)?;
        match self.form {
            SectionKind::Eh => self.row_in(&self.eh(), function.offset, (number, address)),
            SectionKind::Debug => self.row_in(&self.debug(), function.offset, (number, address)),
        }
    }

    fn row_in<'a, S: UnwindSection<Bytes<'a>>>(
        &self,
        section: &S,
        offset: usize,
        (number, address): (usize, u64),
    ) -> Option<UnwindRow> {
        let found = section.fde_from_offset(&self.bases, S::Offset::from(offset), S::cie_from_offset);
        let function = found.ok()?;
        let mut context = UnwindContext::new();
        let row = function.unwind_info_for_address(section, &self.bases, &mut context, address).ok()?;
        Some(UnwindRow {
            section: number,
            cfa: row.cfa().clone(),
            rules: row.registers().cloned().collect(),
            return_address: function.cie().return_address_register(),
            is_signal: function.is_signal_trampoline(),
            encoding: function.cie().encoding(),
        })
    }

    /// The bytes of an expression.
    pub(super) fn expression(&self, at: &gimli::UnwindExpression<usize>) -> Option<Bytes<'_>> {
        let end = at.offset.checked_add(at.length)?;
        Some(EndianSlice::new(self.bytes.get(at.offset..end)?, LittleEndian))
    }
}

/// All functions up to the first damage.
fn functions<'a, S: UnwindSection<Bytes<'a>>>(section: &S, bases: &BaseAddresses) -> Vec<FunctionRange> {
    let mut entries = section.entries(bases);
    let mut common = None;
    let mut functions = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        match entry {
            CieOrFde::Cie(cie) => common = Some(cie),
            CieOrFde::Fde(partial) => {
                let parsed = partial.parse(|section, bases, offset| match &common {
                    // Most descriptions follow the one they refer to.
                    Some(cie) if cie.offset() == UnwindOffset::into(offset) => Ok(cie.clone()),
                    _ => section.cie_from_offset(bases, offset),
                });
                functions.extend(parsed.ok().and_then(|function| described(&function)));
            }
        }
    }
    functions.sort_unstable_by_key(|function| (function.start, function.offset));
    functions
}

fn described(function: &FrameDescriptionEntry<Bytes<'_>>) -> Option<FunctionRange> {
    let start = function.initial_address();
    let end = start.checked_add(function.len()).filter(|&end| end > start)?;
    Some(FunctionRange { start, end, offset: function.offset() })
}
