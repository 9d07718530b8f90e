//! Which row holds the calls from a block to a callee, for blocks with many callees.

use super::names::FunctionRef;

/// For each callee, the last block with many callees that called it and the row of these calls.
#[derive(Debug, Default)]
pub(super) struct CallRows {
    numbered: Vec<(u32, u32)>,
    others: Vec<(u32, u32)>,
}

impl CallRows {
    /// The block and row of the last calls of `callee`; block `u32::MAX` where there were none.
    #[inline(always)]
    pub(super) fn last_call_of(&mut self, callee: FunctionRef) -> &mut (u32, u32) {
        let (rows, index) = match callee.number() {
            Some(number) => (&mut self.numbered, number as usize),
            None => (&mut self.others, callee.other()),
        };
        if index >= rows.len() {
            rows.resize((index + 1).next_power_of_two(), (u32::MAX, 0));
        }
        &mut rows[index]
    }
}
