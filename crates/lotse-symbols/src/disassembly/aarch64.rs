//! 64-bit ARM through yaxpeax-arm, which prints the preferred aliases (`cmp`, `mov`, `lsl`).

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand};

use super::{BAD, Flow, Instruction};

/// Disassembles code at an address; `target_text` writes jump targets.
pub(super) fn disassemble(
    code: &[u8],
    address: u64,
    target_text: &dyn Fn(u64) -> String,
) -> Vec<Instruction> {
    let decoder = InstDecoder::default();
    let words = code.chunks(4).enumerate();
    words
        .map(|(index, bytes)| {
            instruction(&decoder, bytes, address.wrapping_add(4 * index as u64), target_text)
        })
        .collect()
}

fn instruction(
    decoder: &InstDecoder,
    bytes: &[u8],
    address: u64,
    target_text: &dyn Fn(u64) -> String,
) -> Instruction {
    let decoded = (bytes.len() == 4).then(|| decoder.decode(&mut U8Reader::new(bytes)).ok()).flatten();
    let (text, flow) = match decoded {
        Some(decoded) => {
            let target = target(&decoded, address);
            (text(&decoded, target, target_text), flow(decoded.opcode, target))
        }
        None => (BAD.to_owned(), Flow::Stop),
    };
    Instruction { address, bytes: bytes.to_vec(), text, flow }
}

/// The address that a PC-relative operand refers to; that of `adrp` is relative to the page.
fn target(instruction: &yaxpeax_arm::armv8::a64::Instruction, address: u64) -> Option<u64> {
    let base = if instruction.opcode == Opcode::ADRP { address & !0xfff } else { address };
    instruction.operands.iter().find_map(|operand| match operand {
        Operand::PCOffset(offset) => Some(base.wrapping_add_signed(*offset)),
        _ => None,
    })
}

/// The text of an instruction. The decoder writes relative operands as `$+0x10`, always last; they are replaced by the
/// target.
fn text(
    instruction: &yaxpeax_arm::armv8::a64::Instruction,
    target: Option<u64>,
    target_text: &dyn Fn(u64) -> String,
) -> String {
    let text = instruction.to_string();
    match (target, text.rfind('$')) {
        (Some(target), Some(at)) => text[..at].to_owned() + &target_text(target),
        _ => text,
    }
}

fn flow(opcode: Opcode, target: Option<u64>) -> Flow {
    match opcode {
        Opcode::B | Opcode::BR | Opcode::BRAA | Opcode::BRAAZ | Opcode::BRAB | Opcode::BRABZ => {
            Flow::Jump { target, conditional: false }
        }
        Opcode::Bcc(_) | Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ => {
            Flow::Jump { target, conditional: true }
        }
        Opcode::BL | Opcode::BLR | Opcode::BLRAA | Opcode::BLRAAZ | Opcode::BLRAB | Opcode::BLRABZ => {
            Flow::Call { target }
        }
        Opcode::RET | Opcode::RETAA | Opcode::RETAB | Opcode::ERET => Flow::Return,
        Opcode::UDF => Flow::Stop,
        _ => Flow::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Flow;
    use super::disassemble;

    /// Words from the compiler's own assembler.
    fn check(word: u32, text: &str, flow: Flow) {
        let lines = disassemble(&word.to_le_bytes(), 0x1_0004, &|target| format!("{target:#x}"));
        assert_eq!((lines[0].text.as_str(), lines[0].flow), (text, flow), "{word:08x}");
        assert_eq!(lines[0].address, 0x1_0004);
    }

    #[test]
    fn instructions() {
        check(0x9100_03e9, "mov x9, sp", Flow::Next);
        check(0xeb03_02df, "cmp x22, x3", Flow::Next);
        check(0xa904_57f6, "stp x22, x21, [sp, #0x40]", Flow::Next);
        check(0x9000_0010, "adrp x16, 0x10000", Flow::Next);
        check(0xd65f_03c0, "ret", Flow::Return);
        check(0x1400_000a, "b 0x1002c", Flow::Jump { target: Some(0x1_002c), conditional: false });
        check(0x5400_00c8, "b.hi 0x1001c", Flow::Jump { target: Some(0x1_001c), conditional: true });
        check(0x35ff_ff2d, "cbnz w13, 0xffe8", Flow::Jump { target: Some(0xffe8), conditional: true });
        check(
            0x3700_0ae0,
            "tbnz w0, #0x0, 0x10160",
            Flow::Jump { target: Some(0x1_0160), conditional: true },
        );
        check(0x9400_0001, "bl 0x10008", Flow::Call { target: Some(0x1_0008) });
        check(0xd63f_0100, "blr x8", Flow::Call { target: None });
        check(0xd61f_0220, "br x17", Flow::Jump { target: None, conditional: false });
    }

    #[test]
    fn bad_words_and_a_cut_end() {
        let lines = disassemble(&[0xff, 0xff, 0xff, 0xff, 0xc0, 0x03, 0x5f, 0xd6, 0x1f], u64::MAX, &|_| {
            String::new()
        });
        let texts: Vec<_> = lines.iter().map(|line| (line.text.as_str(), line.bytes.len())).collect();
        assert_eq!(texts, [("(bad)", 4), ("ret", 4), ("(bad)", 1)]);
    }

    #[test]
    fn no_word_panics() {
        // A step that visits the words evenly.
        for index in 0..400_000_u32 {
            let word = index.wrapping_mul(2_654_435_761);
            assert_eq!(disassemble(&word.to_le_bytes(), 0, &|_| String::new()).len(), 1);
        }
    }
}
