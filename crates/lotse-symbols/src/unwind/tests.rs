//! Steps with hand-written rules.

use super::frames::CallFrames;
use super::{FramePointer, Registers, Step, UnwindFailure, UnwindTable};
use crate::Architecture;

/// A section with one function at 0x1000..0x1100: a common entry with the initial rules, then those of the function.
fn eh_frame(initial: &[u8], rules: &[u8]) -> Vec<u8> {
    let mut common = vec![0; 4];
    // Version 1, augmentation "", code alignment 1, data alignment -8, return address in register 16.
    common.extend([1, 0, 1, 0x78, 16]);
    common.extend(initial);
    let mut function = Vec::new();
    let begin = 4 + common.len().next_multiple_of(8) as u32 + 4;
    function.extend(begin.to_le_bytes());
    function.extend(0x1000_u64.to_le_bytes());
    function.extend(0x100_u64.to_le_bytes());
    function.extend(rules);
    let mut section = Vec::new();
    for mut entry in [common, function] {
        entry.resize(entry.len().next_multiple_of(8), 0);
        section.extend((entry.len() as u32).to_le_bytes());
        section.extend(entry);
    }
    section
}

fn table(initial: &[u8], rules: &[u8]) -> UnwindTable {
    let section = CallFrames::of_eh_frame(eh_frame(initial, rules));
    UnwindTable {
        architecture: Architecture::X86_64,
        segments: Vec::new(),
        sections: vec![section],
        rows: std::collections::HashMap::new(),
    }
}

/// DW_CFA_def_cfa rsp+8, DW_CFA_offset return address at CFA-8.
const USUAL: [u8; 5] = [0x0c, 7, 8, 0x80 | 16, 1];

/// A stack whose words contain their own address, plus a constant.
fn stack(address: u64) -> Option<u64> {
    (0x7000..0x8000).contains(&address).then_some(0x50_0000 + address)
}

fn registers() -> Registers {
    let mut registers = Registers::new(Architecture::X86_64).unwrap();
    (0..=16).for_each(|number| registers.set(number, 0x7000 + 0x10 * u64::from(number)));
    registers
}

fn step(table: &mut UnwindTable, at: u64) -> (Result<Step, UnwindFailure>, Registers) {
    let mut registers = registers();
    let step = table.step(at, true, &mut registers, &stack);
    (step, registers)
}

const CALLER: Result<Step, UnwindFailure> = Ok(Step::Caller { interrupted: false });

#[test]
fn the_caller_has_what_the_rules_say_and_what_calls_preserve() {
    // DW_CFA_advance_loc 4, DW_CFA_def_cfa_offset 24, DW_CFA_offset rbx at CFA-16.
    let mut table = table(&USUAL, &[0x40 | 4, 0x0e, 24, 0x80 | 3, 2]);
    let (found, caller) = step(&mut table, 0x1003);
    assert_eq!((found, caller.stack_pointer()), (CALLER, Some(0x7078)));
    assert_eq!(caller.program_counter(), Some(0x50_7070));
    assert_eq!((caller.get(3), caller.get(6), caller.get(0)), (Some(0x7030), Some(0x7060), None));
    let (found, caller) = step(&mut table, 0x1004);
    assert_eq!((found, caller.stack_pointer()), (CALLER, Some(0x7088)));
    assert_eq!((caller.program_counter(), caller.get(3)), (Some(0x50_7080), Some(0x50_7078)));
}

#[test]
fn a_frame_can_be_found_through_memory() {
    // DW_CFA_def_cfa_expression { DW_OP_breg6 -8; DW_OP_deref; DW_OP_const4u; DW_OP_minus }
    let expression = [0x76, 0x78, 0x06, 0x0c, 0, 0, 0x50, 0, 0x1c];
    let rules = [&[0x0f, expression.len() as u8][..], &expression].concat();
    let (found, caller) = step(&mut table(&USUAL, &rules), 0x1000);
    // [rbp - 8] = 0x507058, and that is not above the stack pointer.
    assert_eq!((found, caller), (Err(UnwindFailure::Unsound), registers()));
    let expression = [0x76, 0x20, 0x06, 0x0c, 0, 0, 0x50, 0, 0x1c];
    let rules = [&[0x0f, expression.len() as u8][..], &expression].concat();
    let (found, caller) = step(&mut table(&USUAL, &rules), 0x1000);
    assert_eq!((found, caller.stack_pointer()), (CALLER, Some(0x7080)));
}

#[test]
fn an_expression_for_a_register_begins_with_the_frame_address() {
    // DW_CFA_val_expression rbx { DW_OP_plus_uconst 5 }
    let (found, caller) = step(&mut table(&USUAL, &[0x16, 3, 2, 0x23, 5]), 0x1000);
    assert_eq!((found, caller.get(3)), (CALLER, Some(0x7078 + 5)));
}

/// What, the rules of the function, where, and what the step gives.
type Case = (&'static str, &'static [u8], u64, Result<Step, UnwindFailure>);

#[test]
fn what_cannot_be_known_is_not_guessed() {
    let cases: [Case; 5] = [
        ("no function there", &[], 0x1100, Err(UnwindFailure::NoRule)),
        ("no function before", &[], 0xfff, Err(UnwindFailure::NoRule)),
        ("return address undefined: the outermost", &[0x07, 16], 0x1000, Ok(Step::Outermost)),
        ("beyond the copied stack", &[0x0e, 0x80, 0x40], 0x1000, Err(UnwindFailure::Unreadable(0x9068))),
        ("the frame is that of the callee", &[0x0e, 0], 0x1000, Err(UnwindFailure::Unsound)),
    ];
    for (what, rules, at, expected) in cases {
        assert_eq!(step(&mut table(&USUAL, rules), at).0, expected, "{what}");
    }
}

#[test]
fn the_signature_of_a_return_address_is_taken_off_on_arm() {
    let mut registers = Registers::new(Architecture::Aarch64).unwrap();
    registers.return_to(0xba12_0000_0040_1234);
    assert_eq!(registers.program_counter(), Some(0x40_1234));
    assert!(Registers::new(Architecture::X86).is_none());
}

/// A usual function: `push rbp; mov rbp, rsp; …; pop rbp; ret`, as GCC describes it.
#[test]
fn the_frame_pointer_refers_to_the_frame_between_its_setup_and_the_end() {
    let rules =
        [&[0x40 | 1, 0x0e, 16, 0x80 | 6, 2][..], &[0x40 | 3, 0x0d, 6], &[0x40 | 8, 0x0c, 7, 8]].concat();
    let mut table = table(&USUAL, &rules);
    let found = [0x1000, 0x1001, 0x1003, 0x1004, 0x100b, 0x100c].map(|at| table.frame_pointer(at));
    let [caller, own] = [FramePointer::OfCaller, FramePointer::Own].map(Some);
    assert_eq!(found, [caller, caller, caller, own, own, caller]);
    assert_eq!(table.frame_pointer(0x2000), None, "no rule");
}

#[test]
fn frames_that_are_no_usual_ones() {
    // rbp is saved for another use, and the frame grows.
    let mut saved = table(&USUAL, &[0x40 | 1, 0x0e, 16, 0x80 | 6, 2, 0x40 | 1, 0x0e, 48]);
    assert_eq!(saved.frame_pointer(0x1002), Some(FramePointer::Other));
    // An aligned stack: DW_CFA_expression rbp { DW_OP_breg6 0 }, CFA by an expression.
    let mut aligned = table(&USUAL, &[0x10, 6, 2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 0x06]);
    assert_eq!(aligned.frame_pointer(0x1000), Some(FramePointer::Own));
    // DW_CFA_undefined return address, as in `_start`.
    let mut outermost = table(&USUAL, &[0x07, 16]);
    assert_eq!(outermost.frame_pointer(0x1000), Some(FramePointer::Outermost));
    let mut other = table(&USUAL, &[]);
    other.architecture = Architecture::Aarch64;
    assert_eq!(other.frame_pointer(0x1000), None, "only x86-64 is described this way");
}
