//! Where the frame pointer of x86-64 leads while a function is at an address, according to its call frame information.
//!
//! ```text
//! f: push rbp        CFA = rsp + 8               rbp is still that of a function further out: of_caller
//!    mov  rbp, rsp   CFA = rsp + 16, rbp saved   still, for the next rules are relative to rbp: of_caller
//!    ...             CFA = rbp + 16, rbp saved   [rbp + 8] is the return address of f: own
//! g: push rbp        CFA = rsp + 16, rbp saved   rbp holds data, such as a counter: other
//! ```

use gimli::{CfaRule, Register, RegisterRule};

use super::UnwindTable;
use super::frames::{CallFrames, UnwindRow};
use crate::Architecture;

const RBP: Register = Register(6);
const RSP: Register = Register(7);
/// `DW_OP_breg6 0`: the address in rbp. A function that aligns its stack saves rbp there, below a copy of its return address.
const AT_RBP: [u8; 2] = [0x76, 0];

/// What the frame pointer refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramePointer {
    /// The frame of this function: its return address is found through it.
    Own,
    /// The frame of a caller, because this function does not use the register: its own return address is not found.
    OfCaller,
    /// Perhaps no frame at all: the function uses the register for other values.
    Other,
    /// The function has no caller.
    Outermost,
}

impl UnwindTable {
    /// What the frame pointer refers to at an address; `None` where that is not known. Only `.eh_frame` is asked: that of
    /// exceptions is complete, whereas Go's `.debug_frame` does not describe the frame pointer.
    pub fn frame_pointer(&mut self, address: u64) -> Option<FramePointer> {
        if self.architecture != Architecture::X86_64 {
            return None;
        }
        let row = self.row(address)?;
        let section = &self.sections[row.section];
        section.is_for_exceptions().then(|| section.frame_pointer(&row))
    }
}

impl CallFrames {
    fn frame_pointer(&self, row: &UnwindRow) -> FramePointer {
        let rule =
            |of: Register| row.rules.iter().find(|(register, _)| *register == of).map(|(_, rule)| rule);
        if matches!(rule(row.return_address), Some(RegisterRule::Undefined)) {
            return FramePointer::Outermost;
        }
        let (base, above) = match row.cfa {
            CfaRule::RegisterAndOffset { register, offset } => (Some(register), offset),
            CfaRule::Expression(_) => (None, 0),
        };
        match rule(RBP) {
            // The handler of a signal saved the register as it was when the signal came.
            _ if row.is_signal => FramePointer::OfCaller,
            None | Some(RegisterRule::SameValue) => FramePointer::OfCaller,
            Some(RegisterRule::Offset(-16)) if base == Some(RBP) && above == 16 => FramePointer::Own,
            Some(RegisterRule::Offset(-16)) if row.is_before_frame => FramePointer::OfCaller,
            // Compilers do not describe that the register was restored at the end of a function: its place is then below
            // the stack pointer.
            Some(RegisterRule::Offset(at)) if base == Some(RSP) && *at < -above => FramePointer::OfCaller,
            Some(RegisterRule::Expression(at)) if self.expression(at).is_some_and(|it| *it == AT_RBP) => {
                FramePointer::Own
            }
            Some(_) => FramePointer::Other,
        }
    }
}
