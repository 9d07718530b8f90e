//! The control flow table that LLVM's coverage pass writes into the section `__sancov_cfs`.
//!
//! For each basic block: its address, the addresses of its successors, 0, the functions it calls (-1 for an indirect call),
//! 0. In position-independent programs the addresses are relocations.
//!
//! ```text
//! 0x1000 0x1020 0x1040 0   0x2000 0        block 0x1000 → 0x1020 or 0x1040, calls 0x2000
//! 0x1020 0x1040 0   0                      block 0x1020 → 0x1040, calls nothing
//! ```

use std::collections::HashMap;

use object::{Object, ObjectSection, RelocationTarget};

const SECTION: &str = "__sancov_cfs";

/// A basic block of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    /// Its first instruction.
    pub address: u64,
    /// The first instructions of the blocks that can follow.
    pub successors: Vec<u64>,
}

pub(super) fn blocks(file: &object::File<'_>) -> Vec<BasicBlock> {
    let Some(section) = file.section_by_name(SECTION) else { return Vec::new() };
    // A damaged section is treated as missing.
    let Ok(data) = section.uncompressed_data() else { return Vec::new() };
    let relocated = relocations(file, section.address(), data.len() as u64);
    let words = data.chunks_exact(8).enumerate().map(|(at, bytes)| {
        let address = section.address() + 8 * at as u64;
        let stored = bytes.try_into().map_or(0, u64::from_le_bytes);
        relocated.get(&address).copied().unwrap_or(stored)
    });
    parse(&words.collect::<Vec<_>>())
}

/// The values that the loader writes, by address. An address in another file becomes 1, since it only has to differ from 0.
fn relocations(file: &object::File<'_>, start: u64, length: u64) -> HashMap<u64, u64> {
    let all = file.dynamic_relocations().into_iter().flatten();
    let within = all.filter(|(place, _)| (start..start.saturating_add(length)).contains(place));
    within
        .map(|(place, relocation)| match relocation.target() {
            RelocationTarget::Absolute => (place, relocation.addend() as u64),
            _ => (place, 1),
        })
        .collect()
}

fn parse(words: &[u64]) -> Vec<BasicBlock> {
    let mut lists = words.split(|word| *word == 0);
    let mut blocks = Vec::new();
    while let (Some([address, successors @ ..]), Some(_)) = (lists.next(), lists.next()) {
        blocks.push(BasicBlock { address: *address, successors: successors.to_vec() });
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::{BasicBlock, parse};

    #[test]
    fn blocks_have_successors_and_calls() {
        let words = [16, 32, 48, 0, 0, 32, 0, u64::MAX, 16, 0, 48, 16];
        let block = |address, successors: &[u64]| BasicBlock { address, successors: successors.to_vec() };
        assert_eq!(parse(&words), [block(16, &[32, 48]), block(32, &[])], "the last one is cut off");
        assert_eq!(parse(&[]), []);
    }
}
