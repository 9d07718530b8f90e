//! Which row holds the calls of a block to a function, for blocks with many callees.

use super::names::Reference;

/// The block with many callees that last called each function, and the row of these calls.
#[derive(Debug, Default)]
pub(super) struct Called {
    numbered: Vec<(u32, u32)>,
    others: Vec<(u32, u32)>,
}

impl Called {
    #[inline(always)]
    pub(super) fn of(&mut self, callee: Reference) -> &mut (u32, u32) {
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
