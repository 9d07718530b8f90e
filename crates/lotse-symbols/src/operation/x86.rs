//! Decoding of x86-64 instructions through iced-x86.

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfo, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register as Name, UsedMemory,
};

use super::class::{class_of, combines, number_of};
use super::{Effect, MemoryOperand, Operation, OperationClass, Register};
use crate::disassembly::x86::flow;

/// The register that represents all flags; no other has this number.
pub(super) const FLAGS: Register = Register(u16::MAX);

/// The registers of return values.
pub(super) const RESULTS: [Register; 4] = [
    Register(Name::RAX as u16),
    Register(Name::RDX as u16),
    Register(Name::ZMM0 as u16),
    Register(Name::ZMM1 as u16),
];

/// Decodes all instructions; bytes that are no instruction are skipped.
pub(super) fn operations(code: &[u8], address: u64) -> Vec<Operation> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
    let mut all = Vec::new();
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if !instruction.is_invalid() {
            all.push(operation(&instruction, factory.info(&instruction)));
        }
    }
    all
}

/// The operation of one instruction: operands from the decoder's usage information, class and element size by mnemonic.
fn operation(instruction: &Instruction, info: &InstructionInfo) -> Operation {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    let memory = info.used_memory();
    let accessed = |how: fn(OpAccess) -> bool| {
        memory.iter().find(|it| how(it.access())).map(|it| memory_operand(instruction, it))
    };
    let (load, store) = (accessed(is_read), accessed(is_write));
    let (reads, writes) = registers(instruction, info, [&load, &store]);
    let class = class_of(&name);
    let width = width(instruction, load.as_ref().or(store.as_ref()));
    Operation {
        address: instruction.ip(),
        length: u32::try_from(instruction.len()).unwrap_or(u32::MAX),
        class,
        width,
        number: number_of(&name).map_or(width, |number| number.min(width)),
        effect: effect(instruction, (&name, class), (&reads, &writes), (&load, &store)),
        reads,
        writes,
        load,
        store,
        flow: flow(instruction),
        of_threads: is_of_threads(instruction, info),
    }
}

/// Whether it is atomic, or accesses thread-local memory through a segment register.
fn is_of_threads(instruction: &Instruction, info: &InstructionInfo) -> bool {
    let local = |used: &UsedMemory| matches!(used.segment(), Name::FS | Name::GS);
    let swaps = instruction.mnemonic() == Mnemonic::Xchg && !info.used_memory().is_empty();
    instruction.has_lock_prefix() || swaps || info.used_memory().iter().any(local)
}

pub(super) fn is_stack(register: Register) -> bool {
    register == Register(Name::RSP as u16)
}

pub(super) fn is_frame(register: Register) -> bool {
    register == Register(Name::RBP as u16)
}

pub(super) fn is_lost_by_calls(register: Register) -> bool {
    const CALLEE_SAVED: [Name; 7] =
        [Name::RBX, Name::RBP, Name::RSP, Name::R12, Name::R13, Name::R14, Name::R15];
    !CALLEE_SAVED.iter().any(|saved| register == Register(*saved as u16))
}

pub(super) fn is_argument(register: Register) -> bool {
    const ARGUMENTS: [Name; 6] = [Name::RDI, Name::RSI, Name::RDX, Name::RCX, Name::R8, Name::R9];
    // Of the eight vector registers for arguments, most functions with such arguments use the first; the others often
    // contain old values.
    register == Register(Name::ZMM0 as u16)
        || ARGUMENTS.iter().any(|argument| register == Register(*argument as u16))
}

/// The registers that are read, without those only used for addresses, and the registers that are written.
fn registers(
    instruction: &Instruction,
    info: &InstructionInfo,
    memory: [&Option<MemoryOperand>; 2],
) -> (Vec<Register>, Vec<Register>) {
    let explicit = explicit_reads(instruction, info);
    let in_address = |register: Register| {
        let mut terms = memory.into_iter().flatten().flat_map(|memory| &memory.terms);
        terms.any(|(other, _)| *other == register) && !explicit.contains(&register)
    };
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for used in info.used_registers() {
        let Some(register) = full_register(used.register()) else { continue };
        if is_read(used.access()) && !in_address(register) && !reads.contains(&register) {
            reads.push(register);
        }
        if is_write(used.access()) && !writes.contains(&register) {
            writes.push(register);
        }
    }
    reads.extend((instruction.rflags_read() != 0).then_some(FLAGS));
    writes.extend((instruction.rflags_modified() != 0).then_some(FLAGS));
    (reads, writes)
}

fn is_read(access: OpAccess) -> bool {
    use OpAccess::{CondRead, Read, ReadCondWrite, ReadWrite};
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

fn is_write(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// The full register of a name; `None` for segment registers and the instruction pointer, which are not tracked.
fn full_register(name: Name) -> Option<Register> {
    let full = name.full_register();
    let counts = full.is_gpr() || full.is_vector_register() || full.is_k() || full.is_st();
    counts.then_some(Register(full as u16))
}

/// The registers that are read as explicit operands.
fn explicit_reads(instruction: &Instruction, info: &InstructionInfo) -> Vec<Register> {
    let operands = (0..instruction.op_count())
        .filter(|&at| instruction.op_kind(at) == OpKind::Register && is_read(info.op_access(at)));
    operands.filter_map(|at| full_register(instruction.op_register(at))).collect()
}

fn memory_operand(instruction: &Instruction, used: &UsedMemory) -> MemoryOperand {
    let terms = terms(used.base(), used.index(), used.scale());
    let bytes = match used.memory_size().size() {
        0 => width(instruction, None),
        bytes => u32::try_from(bytes).unwrap_or(0),
    };
    MemoryOperand { terms, displacement: used.displacement() as i64, bytes }
}

/// The linear combination base + scale · index.
fn terms(base: Name, index: Name, scale: u32) -> Vec<(Register, i64)> {
    let mut terms: Vec<(Register, i64)> =
        full_register(base).map(|register| (register, 1)).into_iter().collect();
    add_term(&mut terms, full_register(index), i64::from(scale));
    terms
}

/// Adds a multiple of a register to a linear combination.
fn add_term(terms: &mut Vec<(Register, i64)>, register: Option<Register>, factor: i64) {
    let Some(register) = register else { return };
    match terms.iter_mut().find(|(known, _)| *known == register) {
        Some((_, known)) => *known += factor,
        None => terms.push((register, factor)),
    }
    terms.retain(|(_, factor)| *factor != 0);
}

/// The size in bytes of the widest register operand, or of the memory operand.
fn width(instruction: &Instruction, memory: Option<&MemoryOperand>) -> u32 {
    let names = (0..instruction.op_count())
        .filter(|&at| instruction.op_kind(at) == OpKind::Register)
        .map(|at| instruction.op_register(at).size());
    let widest = names.max().and_then(|bytes| u32::try_from(bytes).ok());
    widest.unwrap_or_else(|| memory.map_or(8, |memory| memory.bytes))
}

/// The effect of an instruction: a linear combination if it is one, else by class; `Other` if several registers are
/// involved.
fn effect(
    instruction: &Instruction,
    (name, class): (&str, OperationClass),
    (reads, writes): (&[Register], &[Register]),
    (load, store): (&Option<MemoryOperand>, &Option<MemoryOperand>),
) -> Effect {
    if let Some(sum) = sum(instruction) {
        return sum;
    }
    let only = |list: &[Register]| match list {
        [only] if *only != FLAGS => Some(*only),
        _ => None,
    };
    if name.starts_with("cmov") && load.is_none() {
        let from = (instruction.op_count() > 1).then(|| full_register(instruction.op1_register())).flatten();
        return match (destination(instruction), from) {
            (Some(to), Some(from)) => Effect::Select { to, from },
            _ => Effect::Other,
        };
    }
    if class == OperationClass::Move {
        return match (load, store, only(reads), only(writes)) {
            (None, None, Some(from), Some(to)) => Effect::Sum { to, terms: vec![(from, 1)], constant: 0 },
            (Some(_), None, None, Some(to)) => Effect::Load(to),
            (None, Some(_), Some(from), None) => Effect::Store(from),
            _ => Effect::Other,
        };
    }
    match destination(instruction).filter(|_| combines(name)) {
        Some(register) if writes.contains(&register) && reads.contains(&register) => {
            Effect::Combine(register)
        }
        _ => Effect::Other,
    }
}

/// The first operand, if it is a register.
fn destination(instruction: &Instruction) -> Option<Register> {
    let is_register = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Register;
    is_register.then(|| full_register(instruction.op0_register())).flatten()
}

/// The effect of instructions that compute a linear combination of registers: additions, copies, `lea`, constant shifts.
fn sum(instruction: &Instruction) -> Option<Effect> {
    let to = destination(instruction).filter(|_| instruction.op0_register().is_gpr())?;
    let second = (instruction.op_count() > 1).then(|| instruction.op1_kind());
    let source =
        (second == Some(OpKind::Register)).then(|| full_register(instruction.op1_register())).flatten();
    let immediate = || instruction.try_immediate(1).ok().map(|value| value as i64);
    let plus_source = |factor: i64| {
        let mut terms = vec![(to, 1)];
        add_term(&mut terms, source, factor);
        terms
    };
    let (terms, constant) = match (instruction.mnemonic(), source) {
        (Mnemonic::Inc, _) => (vec![(to, 1)], 1),
        (Mnemonic::Dec, _) => (vec![(to, 1)], -1),
        (Mnemonic::Xor, Some(source)) if source == to => (Vec::new(), 0),
        (Mnemonic::Add, Some(_)) => (plus_source(1), 0),
        (Mnemonic::Sub, Some(_)) => (plus_source(-1), 0),
        (Mnemonic::Mov, Some(source)) => (vec![(source, 1)], 0),
        (Mnemonic::Add, None) => (vec![(to, 1)], immediate()?),
        (Mnemonic::Sub, None) => (vec![(to, 1)], immediate()?.checked_neg()?),
        (Mnemonic::Mov, None) => (Vec::new(), immediate()?),
        (Mnemonic::Lea, _) => {
            let (base, index) = (instruction.memory_base(), instruction.memory_index());
            let terms = terms(base, index, instruction.memory_index_scale());
            (terms, instruction.memory_displacement64() as i64)
        }
        (Mnemonic::Shl, None) => {
            let bits = u32::try_from(immediate()?).ok().filter(|bits| *bits < 32)?;
            (vec![(to, 1_i64 << bits)], 0)
        }
        _ => return None,
    };
    Some(Effect::Sum { to, terms, constant })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(code: &[u8]) -> Operation {
        let all = operations(code, 0x1000);
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }

    fn named(name: Name) -> Register {
        full_register(name).unwrap()
    }

    #[test]
    fn atomic_operations_and_memory_of_a_thread() {
        // lock xadd [rdi], rax; xchg [rdi], rax; mov rax, fs:[0]
        for code in [
            &[0xf0, 0x48, 0x0f, 0xc1, 0x07][..],
            &[0x48, 0x87, 0x07],
            &[0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0],
        ] {
            assert!(one(code).of_threads, "{code:x?}");
        }
        // xchg rax, rcx; mov rax, [rdi]
        for code in [&[0x48, 0x91][..], &[0x48, 0x8b, 0x07]] {
            assert!(!one(code).of_threads, "{code:x?}");
        }
    }

    #[test]
    fn a_sum_with_memory() {
        // addsd xmm0, [rdi+rax*8+16]
        let add = one(&[0xf2, 0x0f, 0x58, 0x44, 0xc7, 0x10]);
        let (rdi, rax, xmm0) = (named(Name::RDI), named(Name::EAX), named(Name::XMM0));
        let memory = MemoryOperand { terms: vec![(rdi, 1), (rax, 8)], displacement: 16, bytes: 8 };
        assert_eq!((add.class, add.width, add.is_vector()), (OperationClass::FloatAdd, 16, false));
        assert_eq!((add.load, add.store), (Some(memory), None));
        assert_eq!((add.reads.as_slice(), add.writes.as_slice()), (&[xmm0][..], &[xmm0][..]));
        assert_eq!(add.effect, Effect::Combine(xmm0));
    }

    #[test]
    fn integers_that_are_sums() {
        let (rax, rcx) = (named(Name::RAX), named(Name::RCX));
        let sum =
            |terms: &[(Register, i64)], constant| Effect::Sum { to: rax, terms: terms.to_vec(), constant };
        let cases: [(&[u8], Effect); 8] = [
            (&[0x48, 0x83, 0xc0, 0x10], sum(&[(rax, 1)], 16)),
            (&[0x48, 0x83, 0xe8, 0x01], sum(&[(rax, 1)], -1)),
            (&[0x48, 0xff, 0xc8], sum(&[(rax, 1)], -1)),
            (&[0x31, 0xc0], sum(&[], 0)),
            (&[0x48, 0x8d, 0x44, 0x89, 0x04], sum(&[(rcx, 5)], 4)),
            (&[0x48, 0x01, 0xc8], sum(&[(rax, 1), (rcx, 1)], 0)),
            (&[0x48, 0x89, 0xc8], sum(&[(rcx, 1)], 0)),
            (&[0x48, 0xc1, 0xe0, 0x03], sum(&[(rax, 8)], 0)),
        ];
        for (code, expected) in cases {
            assert_eq!(one(code).effect, expected, "{code:x?}");
        }
    }

    #[test]
    fn moves_from_and_to_memory() {
        let (rax, xmm1) = (named(Name::RAX), named(Name::XMM1));
        // mov rax, [rsp+8]; movsd [rsp+8], xmm1; movapd xmm1, xmm2
        assert_eq!(one(&[0x48, 0x8b, 0x44, 0x24, 0x08]).effect, Effect::Load(rax));
        assert_eq!(one(&[0xf2, 0x0f, 0x11, 0x4c, 0x24, 0x08]).effect, Effect::Store(xmm1));
        let copy = Effect::Sum { to: xmm1, terms: vec![(named(Name::XMM2), 1)], constant: 0 };
        assert_eq!(one(&[0x66, 0x0f, 0x28, 0xca]).effect, copy);
        // mulpd xmm1, xmm1 works on two numbers; pxor xmm1, xmm1 needs nothing.
        assert!(one(&[0x66, 0x0f, 0x59, 0xc9]).is_vector());
        assert_eq!(one(&[0x66, 0x0f, 0xef, 0xc9]).reads, []);
        // cmovg rax, rcx
        let select = Effect::Select { to: rax, from: named(Name::RCX) };
        assert_eq!(one(&[0x48, 0x0f, 0x4f, 0xc1]).effect, select);
        let division = one(&[0x48, 0xf7, 0xf1]);
        assert_eq!((division.class, division.reads.len()), (OperationClass::IntegerDivide, 3));
    }

    #[test]
    fn the_calling_convention() {
        let all = [Name::RAX, Name::RBX, Name::RSP, Name::EDI, Name::XMM0, Name::YMM9].map(named);
        assert_eq!(all.map(Register::is_stack), [false, false, true, false, false, false]);
        assert_eq!(all.map(Register::is_lost_by_calls), [true, false, false, true, true, true]);
        assert_eq!(all.map(Register::is_argument), [false, false, false, true, true, false]);
    }
}
