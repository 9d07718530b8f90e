//! The smallest program with a symbol: real programs are large, and reading their debug information takes time.

/// The address and size of `main`.
pub(super) const MAIN: (u64, u64) = (0x1000, 16);

/// The size of a header.
const HEADER: u64 = 64;
/// The string table for sections and symbols: the empty name, then `main`.
const NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0main\0";
/// The offset of `main` in the string table.
const MAIN_NAME: u32 = 23;

/// A section header: name, kind, flags, address, offset, size, link, first global symbol, size of an entry.
struct Section(u32, u32, u64, u64, u64, u64, u32, u32, u64);

impl Section {
    fn bytes(&self) -> Vec<u8> {
        let Self(name, kind, flags, address, offset, size, link, info, entry) = *self;
        let mut bytes = [name, kind].map(u32::to_le_bytes).concat();
        bytes.extend([flags, address, offset, size].map(u64::to_le_bytes).concat());
        bytes.extend([link, info].map(u32::to_le_bytes).concat());
        bytes.extend([8, entry].map(u64::to_le_bytes).concat());
        bytes
    }
}

/// A program for x86-64 whose only function is `main`.
pub(super) fn program() -> Vec<u8> {
    let (code, symbols) = (HEADER, HEADER + MAIN.1);
    let names = symbols + 48;
    let sections = names + 32;
    let mut bytes = header(sections);
    bytes.extend([0x90; MAIN.1 as usize]);
    bytes.extend([0; 24]);
    // A global function in section 1.
    bytes.extend([&MAIN_NAME.to_le_bytes()[..], &[0x12, 0, 1, 0]].concat());
    bytes.extend([MAIN.0, MAIN.1].map(u64::to_le_bytes).concat());
    bytes.extend(NAMES);
    bytes.resize(sections as usize, 0);
    for section in [
        Section(0, 0, 0, 0, 0, 0, 0, 0, 0),
        Section(1, 1, 6, MAIN.0, code, MAIN.1, 0, 0, 0),
        Section(7, 2, 0, 0, symbols, 48, 3, 1, 24),
        Section(15, 3, 0, 0, names, NAMES.len() as u64, 0, 0, 0),
    ] {
        bytes.extend(section.bytes());
    }
    bytes
}

fn header(sections: u64) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend([2_u16, 62].map(u16::to_le_bytes).concat());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend([MAIN.0, 0, sections].map(u64::to_le_bytes).concat());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend([HEADER as u16, 56, 0, 64, 4, 3].map(u16::to_le_bytes).concat());
    bytes
}
