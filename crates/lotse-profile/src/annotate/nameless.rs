//! Code without a symbol: the stretches of addresses that the profile has costs at.
//!
//! An address with a cost is the start of an instruction, so disassembly can begin there. Where the function begins and ends is not
//! known: a stretch goes from its first to its last address with a cost, and a note says so.
//!
//! ```text
//! costs at     10 14        1a            a000 a007
//! stretches    |----------------|         |-------|      a gap of more than 4 KiB separates two
//! ```

use std::ops::Range;

use hashbrown::HashSet;
use lotse_symbols::{Binary, Instruction, SymbolError};

use super::AnnotateQuery;
use super::code::MOST_BYTES;
use super::gather::GatheredCosts;

/// Addresses further apart than this are in different stretches: other functions lie between them.
const GAP: u64 = 4096;
/// The longest instruction of x86 has 15 bytes.
const LONGEST_INSTRUCTION: u64 = 15;

/// The instructions around costs at addresses that no symbol contains.
pub(super) fn instructions(
    query: &AnnotateQuery<'_>,
    found: &GatheredCosts,
    binary: &Binary<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Instruction>, SymbolError> {
    let unnamed = found.code.iter().map(|(address, _)| address);
    let mut addresses: Vec<u64> = unnamed.filter(|&at| binary.function_at(at).is_none()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let stretches = stretches(&addresses);
    let (mut decoded, mut left, mut outside, mut shown) = (Vec::new(), MOST_BYTES, 0, 0);
    for stretch in &stretches {
        let length = stretch.end - stretch.start;
        if length > left {
            continue;
        }
        (left, shown) = (left - length, shown + 1);
        // The last instruction begins at the last address.
        let range = stretch.start..stretch.end.saturating_add(LONGEST_INSTRUCTION);
        match binary.disassemble_as(range, query.syntax) {
            Ok(code) => decoded.extend(code.into_iter().filter(|it| it.address <= stretch.end)),
            Err(SymbolError::NoCode(_)) => outside += 1,
            Err(other) => return Err(other),
        }
    }
    notes.extend(remarks(&addresses, &decoded, [stretches.len(), shown, outside]));
    Ok(decoded)
}

/// What to know about the code: that it is a guess, and what is not in it.
fn remarks(addresses: &[u64], decoded: &[Instruction], [all, shown, outside]: [usize; 3]) -> Vec<String> {
    let mut remarks = Vec::new();
    if !decoded.is_empty() {
        remarks.push("the code has no symbol: it is shown from the first to the last address with a cost; where the function begins and ends is not known".to_owned());
        let starts: HashSet<u64> = decoded.iter().map(|it| it.address).collect();
        let ends = |it: &Instruction| it.address.saturating_add(it.bytes.len() as u64);
        let is_inside = |at: &&u64| {
            let before = decoded.partition_point(|it| it.address <= **at).checked_sub(1);
            before.is_some_and(|before| **at < ends(&decoded[before]))
        };
        let astray = addresses.iter().filter(|at| !starts.contains(*at)).filter(is_inside).count();
        if astray > 0 {
            remarks.push(format!("{astray} addresses with costs are not at the start of an instruction: there may be data in the code, or the profiler rounds addresses"));
        }
    }
    if shown < all {
        let count = all - shown;
        remarks.push(format!("{count} of {all} stretches of code without a symbol are too long to show"));
    }
    if outside > 0 {
        remarks.push(format!("{outside} stretches of addresses with costs are not in the code of the binary: is it another build?"));
    }
    remarks
}

/// Ranges from a first to a last address, both included.
fn stretches(addresses: &[u64]) -> Vec<Range<u64>> {
    let mut stretches: Vec<Range<u64>> = Vec::new();
    for &address in addresses {
        match stretches.last_mut() {
            Some(last) if address - last.end <= GAP => last.end = address,
            _ => stretches.push(address..address),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::stretches;

    #[test]
    fn far_addresses_are_in_other_stretches() {
        assert_eq!(stretches(&[0x10, 0x14, 0x1a, 0xa000, 0xa007]), [0x10..0x1a, 0xa000..0xa007]);
        assert_eq!(stretches(&[7]).first(), Some(&(7..7)));
        assert!(stretches(&[]).is_empty());
        assert_eq!(stretches(&[u64::MAX - 1, u64::MAX]).len(), 1);
    }
}
