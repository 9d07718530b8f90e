//! Maps the registers that perf recorded to DWARF's register numbers.

use lotse_formats::unwind::CopiedThread;
use lotse_symbols::{Architecture, Registers};

/// perf's and DWARF's numbers of ax, bx, cx, dx, si, di, bp, sp, ip, then r8 to r15.
const X86_64: [(u32, u16); 17] = [
    (0, 0),
    (1, 3),
    (2, 2),
    (3, 1),
    (4, 4),
    (5, 5),
    (6, 6),
    (7, 7),
    (8, 16),
    (16, 8),
    (17, 9),
    (18, 10),
    (19, 11),
    (20, 12),
    (21, 13),
    (22, 14),
    (23, 15),
];

/// The number of registers of 64-bit ARM (x0 to x30, sp, pc), which have the same numbers in perf and DWARF.
const AARCH64: u32 = 33;

/// The registers of a thread; `None` if the processor or its mode is not supported.
///
/// A file need not state the processor, so it is recognised by the recorded registers: on x86 there are none between
/// r15 (23) and the vector registers (32), and on ARM 31 and 32 are the stack pointer and the program counter.
pub(super) fn registers(thread: &CopiedThread<'_>) -> Option<Registers> {
    if !thread.is_64_bit {
        return None;
    }
    let is_arm = thread.register(31).is_some() && thread.register(32).is_some();
    let architecture = if is_arm { Architecture::Aarch64 } else { Architecture::X86_64 };
    let mut registers = Registers::new(architecture)?;
    let mut set = |(number, dwarf): (u32, u16)| {
        if let Some(value) = thread.register(number) {
            registers.set(dwarf, value);
        }
    };
    if is_arm {
        (0..AARCH64).for_each(|number| set((number, number as u16)));
    } else {
        X86_64.into_iter().for_each(set);
    }
    Some(registers)
}
