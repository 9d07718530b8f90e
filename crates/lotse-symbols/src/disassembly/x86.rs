//! x86 and x86-64 through iced-x86.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Formatter, GasFormatter, IntelFormatter};

use super::{BAD, Flow, Instruction, Syntax};

/// Disassembles code at an address; `target_text` writes jump targets. After bytes that cannot be decoded, decoding
/// continues at the next byte.
pub(super) fn disassemble(
    code: &[u8],
    address: u64,
    bits: u32,
    syntax: Syntax,
    target_text: &dyn Fn(u64) -> String,
) -> Vec<Instruction> {
    let mut formatter = formatter(syntax);
    let mut decoder = Decoder::with_ip(bits, code, address, DecoderOptions::NONE);
    let mut instructions = Vec::new();
    while decoder.can_decode() {
        let start = decoder.position();
        let decoded = decoder.decode();
        if decoded.is_invalid() {
            instructions.push(bad(address.wrapping_add(start as u64), code[start]));
            decoder.set_ip(address.wrapping_add(start as u64 + 1));
            if decoder.set_position(start + 1).is_err() {
                break;
            }
            continue;
        }
        let bytes = code[start..start + decoded.len()].to_vec();
        let text = text(&decoded, formatter.as_mut(), target_text);
        instructions.push(Instruction { address: decoded.ip(), bytes, text, flow: flow(&decoded) });
    }
    instructions
}

fn bad(address: u64, byte: u8) -> Instruction {
    Instruction { address, bytes: vec![byte], text: BAD.to_owned(), flow: Flow::Stop }
}

/// A formatter with lower-case hexadecimal numbers, as objdump writes them.
fn formatter(syntax: Syntax) -> Box<dyn Formatter> {
    let mut formatter: Box<dyn Formatter> = match syntax {
        Syntax::Intel => Box::new(IntelFormatter::new()),
        Syntax::Att => Box::new(GasFormatter::new()),
    };
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_leading_zeros(false);
    options.set_branch_leading_zeros(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_space_after_operand_separator(syntax == Syntax::Intel);
    options.set_rip_relative_addresses(true);
    options.set_show_branch_size(false);
    formatter
}

/// The text of an instruction. Targets are written here and not by the formatter, whose symbol resolver would have to own
/// the symbols.
fn text(
    instruction: &iced_x86::Instruction,
    formatter: &mut dyn Formatter,
    target_text: &dyn Fn(u64) -> String,
) -> String {
    let mut text = String::new();
    match target(instruction) {
        Some(target) => {
            formatter.format_mnemonic(instruction, &mut text);
            text.push(' ');
            text.push_str(&target_text(target));
        }
        None => formatter.format(instruction, &mut text),
    }
    text
}

/// The target of a direct branch, including `xbegin`.
fn target(instruction: &iced_x86::Instruction) -> Option<u64> {
    use iced_x86::OpKind::{NearBranch16, NearBranch32, NearBranch64};
    let is_near = matches!(instruction.op0_kind(), NearBranch16 | NearBranch32 | NearBranch64);
    (instruction.op_count() > 0 && is_near).then(|| instruction.near_branch_target())
}

/// Where execution can continue. A system call, which the decoder classifies as a call, counts as an ordinary instruction.
pub(crate) fn flow(instruction: &iced_x86::Instruction) -> Flow {
    let target = target(instruction);
    match instruction.flow_control() {
        FlowControl::Next => Flow::Next,
        FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => {
            Flow::Jump { target, conditional: false }
        }
        FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend if target.is_some() => {
            Flow::Jump { target, conditional: true }
        }
        FlowControl::Return => Flow::Return,
        FlowControl::Call if target.is_none() && !instruction.is_call_far() => Flow::Next,
        FlowControl::Call | FlowControl::IndirectCall => Flow::Call { target },
        FlowControl::Exception => Flow::Stop,
        // Execution continues after a breakpoint, as after a system call above, which the decoder classifies as a call.
        _ => Flow::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flow, Instruction, Syntax};
    use super::disassemble;

    fn lines(code: &[u8], bits: u32, syntax: Syntax) -> Vec<(u64, String, Flow)> {
        let short = |line: Instruction| (line.address, line.text, line.flow);
        disassemble(code, 0x1000, bits, syntax, &|target| format!("{target:#x}"))
            .into_iter()
            .map(short)
            .collect()
    }

    fn check(code: &[u8], intel: &str, att: &str, flow: Flow) {
        for (syntax, text) in [(Syntax::Intel, intel), (Syntax::Att, att)] {
            assert_eq!(lines(code, 64, syntax), [(0x1000, text.to_owned(), flow)]);
        }
    }

    #[test]
    fn both_syntaxes() {
        check(&[0x48, 0x8b, 0x47, 0x08], "mov rax, [rdi+0x8]", "mov 0x8(%rdi),%rax", Flow::Next);
        check(&[0xc3], "ret", "ret", Flow::Return);
        let ahead = Flow::Jump { target: Some(0x1012), conditional: false };
        check(&[0xeb, 0x10], "jmp 0x1012", "jmp 0x1012", ahead);
        let back = Flow::Jump { target: Some(0x1000), conditional: true };
        check(&[0x75, 0xfe], "jne 0x1000", "jne 0x1000", back);
        check(&[0xe8, 0, 0, 0, 0], "call 0x1005", "call 0x1005", Flow::Call { target: Some(0x1005) });
        check(&[0xff, 0xd0], "call rax", "call *%rax", Flow::Call { target: None });
        check(&[0xff, 0xe0], "jmp rax", "jmp *%rax", Flow::Jump { target: None, conditional: false });
        check(&[0x0f, 0x0b], "ud2", "ud2", Flow::Stop);
        check(&[0x0f, 0x05], "syscall", "syscall", Flow::Next);
    }

    #[test]
    fn bytes_that_are_no_instruction_are_marked_and_skipped() {
        let found = lines(&[0x06, 0x90, 0x0f], 64, Syntax::Intel);
        let texts: Vec<_> = found.iter().map(|(at, text, _)| (*at, text.as_str())).collect();
        assert_eq!(texts, [(0x1000, "(bad)"), (0x1001, "nop"), (0x1002, "(bad)")]);
    }

    #[test]
    fn the_same_byte_means_another_instruction_in_32_bits() {
        assert_eq!(lines(&[0x06], 32, Syntax::Intel), [(0x1000, "push es".to_owned(), Flow::Next)]);
    }

    #[test]
    fn the_last_addresses_do_not_overflow() {
        for start in u64::MAX - 4..=u64::MAX {
            let found =
                disassemble(&[0x06, 0xeb, 0x10, 0x90, 0x06], start, 64, Syntax::Att, &|at| at.to_string());
            assert_eq!(found.iter().map(|line| line.bytes.len()).sum::<usize>(), 5);
        }
    }
}
