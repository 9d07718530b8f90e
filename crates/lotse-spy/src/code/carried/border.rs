//! Chooses the block at which the iterations of a loop begin.
//!
//! A loop can be cut into iterations at any point that control passes exactly once per round, as long as the same cut is used
//! for registers and for memory. Compilers rotate loops, so that the header lies in the middle of a source iteration:
//!
//! ```text
//! for p in pixels { *p = table[*p] }        value = pixels[0]
//!                                           loop {
//!                                               pixels[i] = table[value]       header
//!                                               if i == n { break }
//!                                               i += 1; value = pixels[i]      latch: the block that jumps back
//!                                           }
//! ```
//!
//! Cut at the header, each iteration needs the value that the previous one loaded, and writes the element that the previous
//! one read. Cut at the beginning of the latch, the iterations are independent.

use lotse_formats::history::CarriedVariable;
use lotse_symbols::graph::NaturalLoop;

use super::OperationGraph;

impl OperationGraph<'_> {
    /// What a loop carries, and the block at which its iterations begin: the header, or the latch if the loop carries state at
    /// the header but not at the latch.
    pub(super) fn best_cut(&self, natural: &NaturalLoop) -> Option<(CarriedVariable, u32)> {
        let at_header = (self.worst_carried_variable(natural)?, natural.header);
        if at_header.0 != CarriedVariable::State {
            return Some(at_header);
        }
        let rotated = self.latch(natural).and_then(|block| {
            let rotated = NaturalLoop { header: block, ..natural.clone() };
            Some((self.worst_carried_variable(&rotated)?, block))
        });
        Some(rotated.filter(|(carried, _)| *carried != CarriedVariable::State).unwrap_or(at_header))
    }

    /// The latch: the only block that jumps back to the header, if it has no other successor inside of the loop.
    fn latch(&self, natural: &NaturalLoop) -> Option<u32> {
        let leads_back = |block: &usize| self.successors[*block].contains(&natural.header);
        let mut back = self.members(natural).filter(leads_back);
        let (block, None) = (back.next()?, back.next()) else { return None };
        let is_inside = |next: &&u32| natural.body[**next as usize];
        let alone = self.successors[block].iter().filter(is_inside).all(|next| *next == natural.header);
        (alone && block != natural.header as usize).then_some(block as u32)
    }
}

#[cfg(test)]
mod tests {
    use lotse_formats::history::{CarriedVariable, StoredFlow};
    use lotse_symbols::operation::decode;

    use crate::code::carried::MachineCode;

    /// What the only loop of some code carries, and the block at which its iterations begin if that is not the header.
    fn cut(code: &[u8]) -> (CarriedVariable, Vec<(u32, u32)>) {
        let operations = decode(code, 0);
        let blocks = lotse_symbols::blocks(&operations, &|_| Vec::new());
        let flow = StoredFlow { blocks, ..StoredFlow::default() };
        let flow = MachineCode { operations: &operations, is_recorder: &|_| false }.with_carried(flow);
        (flow.carried[0].1, flow.borders)
    }

    #[test]
    fn what_is_loaded_for_the_next_iteration_belongs_to_it() {
        // 0: movzx eax, [rdi]  3: mov cl, [rsi+rax]  6: mov [rdi], cl  8: inc rdi  b: cmp rdi, rdx  e: je 15
        // 10: movzx eax, [rdi]  13: jmp 3  15: ret
        let table = [
            0x0f, 0xb6, 0x07, 0x8a, 0x0c, 0x06, 0x88, 0x0f, 0x48, 0xff, 0xc7, 0x48, 0x39, 0xd7, 0x74, 0x05,
            0x0f, 0xb6, 0x07, 0xeb, 0xee, 0xc3,
        ];
        assert_eq!(cut(&table), (CarriedVariable::None, vec![(1, 2)]));
    }

    #[test]
    fn what_is_computed_from_the_iteration_before_is_state_wherever_it_is_cut() {
        // 0: mov eax, [rdi]  2: add eax, [rdi+4]  5: mov [rdi+4], eax  8: add rdi, 4  c: cmp rdi, rdx  f: je 14
        // 11: nop  12: jmp 2  14: ret
        let prefix_sums = [
            0x8b, 0x07, 0x03, 0x47, 0x04, 0x89, 0x47, 0x04, 0x48, 0x83, 0xc7, 0x04, 0x48, 0x39, 0xd7, 0x74,
            0x03, 0x90, 0xeb, 0xee, 0xc3,
        ];
        assert_eq!(cut(&prefix_sums), (CarriedVariable::State, Vec::new()));
        // 0: nop  1: mov eax, [rsi+rax]  4: mov [rdi], eax  6: inc rdi  9: cmp rdi, rdx  c: je 11  e: nop  f: jmp 1  11: ret
        let chase = [
            0x90, 0x8b, 0x04, 0x06, 0x89, 0x07, 0x48, 0xff, 0xc7, 0x48, 0x39, 0xd7, 0x74, 0x03, 0x90, 0xeb,
            0xf0, 0xc3,
        ];
        assert_eq!(cut(&chase), (CarriedVariable::State, Vec::new()));
    }
}
