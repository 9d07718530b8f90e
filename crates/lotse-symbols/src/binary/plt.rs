//! Stubs that jump to functions of other libraries, named `name@plt`.
//!
//! A stub is recognised by its code: a jump through a slot that the dynamic linker fills with the address of a symbol. This
//! finds all kinds of stubs (`.plt`, `.plt.sec`, `.plt.got`, with and without branch protection).
//!
//! ```text
//! 0x1030  endbr64                       stub at 0x1030
//! 0x1034  jmp [rip+0x2fc6]              slot 0x4000, whose relocation names `puts`: puts@plt
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use iced_x86::{Code, Decoder, DecoderOptions, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget};

use super::Architecture;
use super::symbols::{Binding, NameReader, Symbol};

/// Names by the address of the slot.
type Slots<'data> = HashMap<u64, Cow<'data, str>>;

/// Appends the stubs of all `.plt` sections whose slot has a name.
pub(super) fn collect<'data>(
    file: &object::File<'data>,
    names: &mut NameReader,
    found: &mut Vec<Symbol<'data>>,
) {
    let slots = slots(file, names);
    if slots.is_empty() {
        return;
    }
    let architecture = Architecture::from(file.architecture());
    for section in file.sections() {
        let is_plt = section.name_bytes().is_ok_and(|name| name.starts_with(b".plt"));
        let Some(code) = section.data().ok().filter(|_| is_plt) else { continue };
        let stubs = match architecture {
            Architecture::X86 => x86_stubs(code, section.address(), 32, global_offset_table(file)),
            Architecture::X86_64 => x86_stubs(code, section.address(), 64, 0),
            Architecture::Aarch64 => aarch64_stubs(code, section.address()),
            Architecture::Other(_) => return,
        };
        found.extend(stubs.iter().filter_map(|stub| stub.named(&slots)));
    }
}

/// A stub and the slot that it jumps through.
#[derive(Debug, PartialEq, Eq)]
struct Stub {
    address: u64,
    slot: u64,
}

impl Stub {
    fn named<'data>(&self, slots: &Slots<'_>) -> Option<Symbol<'data>> {
        let name = Cow::Owned(format!("{}@plt", slots.get(&self.slot)?));
        Some(Symbol { name, address: self.address, size: 0, binding: Binding::Stub })
    }
}

/// The names of the symbols that the dynamic linker writes into slots.
fn slots<'data>(file: &object::File<'data>, names: &mut NameReader) -> Slots<'data> {
    let (Some(relocations), Some(symbols)) = (file.dynamic_relocations(), file.dynamic_symbol_table()) else {
        return Slots::new();
    };
    let mut slots = Slots::new();
    for (address, relocation) in relocations {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = symbols.symbol_by_index(index) else { continue };
        let name = symbol.name_bytes().ok().and_then(|bytes| names.read(bytes));
        if let Some(name) = name {
            slots.insert(address, name);
        } else if names.is_exhausted() {
            break;
        }
    }
    slots
}

/// The address of the global offset table, which position-independent 32-bit code keeps in `ebx`.
fn global_offset_table(file: &object::File<'_>) -> u64 {
    let section = file.section_by_name(".got.plt").or_else(|| file.section_by_name(".got"));
    section.map_or(0, |section| section.address())
}

/// The indirect jumps through memory in a section; a stub starts at the `endbr` before its jump, if there is one.
fn x86_stubs(code: &[u8], address: u64, bits: u32, table: u64) -> Vec<Stub> {
    let mut stubs = Vec::new();
    let mut landing = None;
    for instruction in &mut Decoder::with_ip(bits, code, address, DecoderOptions::NONE) {
        let is_landing = matches!(instruction.code(), Code::Endbr64 | Code::Endbr32);
        let is_jump = matches!(instruction.code(), Code::Jmp_rm64 | Code::Jmp_rm32);
        if is_jump && instruction.op0_kind() == OpKind::Memory {
            let base = if instruction.memory_base() == Register::EBX { table } else { 0 };
            let slot = base.wrapping_add(instruction.memory_displacement64());
            let slot = if bits == 32 { slot & u64::from(u32::MAX) } else { slot };
            stubs.push(Stub { address: landing.unwrap_or(instruction.ip()), slot });
        }
        landing = is_landing.then(|| instruction.ip());
    }
    stubs
}

/// The stubs of the form `adrp x16, page; ldr x17, [x16, #offset]`, optionally after `bti c`.
fn aarch64_stubs(code: &[u8], address: u64) -> Vec<Stub> {
    const BTI_C: u32 = 0xd503_245f;
    let words: Vec<u32> = code.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let mut stubs = Vec::new();
    for (index, pair) in words.windows(2).enumerate() {
        let (adrp, ldr) = (pair[0], pair[1]);
        if adrp & 0x9f00_001f != 0x9000_0010 || ldr & 0xffc0_03ff != 0xf940_0211 {
            continue;
        }
        let at = address.wrapping_add(4 * index as u64);
        let page = (at & !0xfff).wrapping_add_signed(page_offset(adrp));
        let slot = page.wrapping_add(u64::from(ldr >> 10 & 0xfff) * 8);
        let has_landing = index > 0 && words[index - 1] == BTI_C;
        stubs.push(Stub { address: if has_landing { at - 4 } else { at }, slot });
    }
    stubs
}

/// The signed distance in bytes that an `adrp` instruction encodes, in pages, in two bit fields.
fn page_offset(adrp: u32) -> i64 {
    let pages = (adrp >> 5 & 0x7_ffff) << 2 | (adrp >> 29 & 3);
    let signed = i64::from(pages << 11) << 32 >> 43;
    signed * 4096
}

#[cfg(test)]
mod tests {
    use super::{Stub, aarch64_stubs, page_offset, x86_stubs};

    #[test]
    fn pages_are_signed() {
        assert_eq!(page_offset(0x9000_0010), 0);
        assert_eq!(page_offset(0xb000_0010), 4096);
        assert_eq!(page_offset(0x9000_0030), 4 * 4096);
        assert_eq!(page_offset(0xf0ff_fff0), -4096);
    }

    #[test]
    fn stubs_of_64_bit_arm() {
        let words: [u32; 4] = [0xd503_245f, 0xb000_0010, 0xf940_0a11, 0xd61f_0220];
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(aarch64_stubs(&code, 0x5000), [Stub { address: 0x5000, slot: 0x6010 }]);
        assert_eq!(aarch64_stubs(&code[4..], 0x5004), [Stub { address: 0x5004, slot: 0x6010 }]);
    }

    #[test]
    fn stubs_of_32_bit_code_count_from_the_table() {
        // jmp *0xc(%ebx)
        assert_eq!(
            x86_stubs(&[0xff, 0xa3, 0x0c, 0, 0, 0], 0x400, 32, 0x4000),
            [Stub { address: 0x400, slot: 0x400c }]
        );
        // jmp *0x804a00c
        assert_eq!(
            x86_stubs(&[0xff, 0x25, 0x0c, 0xa0, 0x04, 0x08], 0x400, 32, 0x4000),
            [Stub { address: 0x400, slot: 0x0804_a00c }]
        );
    }
}
