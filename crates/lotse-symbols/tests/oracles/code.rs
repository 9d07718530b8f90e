//! Disassembly compared with `objdump`, and with the compiler's assembly for an architecture that objdump may lack.

use lotse_symbols::{Binary, Flow, Syntax};

use crate::programs::{self, Program};

/// Address, mnemonic and operands of each instruction of a listing.
fn objdump(program: &Program, syntax: &str) -> Option<Vec<(u64, String)>> {
    let listing =
        program.tool_output("objdump", &["-d", "-w", "--no-show-raw-insn", "-j", ".text", "-M", syntax])?;
    let lines = listing.lines().filter_map(|line| line.trim_start().split_once(":\t"));
    Some(lines.map(|(at, text)| (u64::from_str_radix(at, 16).unwrap(), text.to_owned())).collect())
}

/// The mnemonic without prefixes, and with objdump's spelling of sizes and aliases undone.
fn mnemonic(text: &str) -> String {
    const PREFIXES: [&str; 12] =
        ["data16", "cs", "ds", "es", "fs", "gs", "rep", "repz", "repe", "repnz", "bnd", "notrack"];
    let mut words = text.split_whitespace().filter(|word| !PREFIXES.contains(word));
    let word = words.next().unwrap_or("");
    match (word, words.next()) {
        (word, _) if text.starts_with("rep") => word.trim_end_matches(['b', 'w', 'd', 'l', 'q']).to_owned(),
        ("callq" | "jmpq" | "pushq" | "popq", _) => word.trim_end_matches('q').to_owned(),
        ("movabs", _) => "mov".to_owned(),
        ("xchg", Some("ax,ax" | "%ax,%ax" | "ax,")) => "nop".to_owned(),
        ("fwait", _) => "wait".to_owned(),
        _ => word.trim_end_matches(',').to_owned(),
    }
}

fn check_x86(program: &Program) {
    let binary = Binary::parse(&program.bytes).unwrap();
    for (name, syntax) in [("intel", Syntax::Intel), ("att", Syntax::Att)] {
        let Some(expected) = objdump(program, name) else { return };
        let (start, end) = (expected[0].0, expected[expected.len() - 1].0 + 1);
        let found = binary.disassemble_as(start..end + 16, syntax).unwrap();
        for (found, (address, text)) in found.iter().zip(&expected) {
            assert_eq!(found.address, *address, "{text}");
            assert_eq!(mnemonic(&found.text), mnemonic(text), "{address:#x} {} / {text}", found.text);
            check_target(found.flow, text);
        }
        assert!(found.len() >= expected.len());
    }
}

/// objdump prints a direct target as a bare hexadecimal number before the symbol.
fn check_target(flow: Flow, text: &str) {
    let (Flow::Jump { target: Some(target), .. } | Flow::Call { target: Some(target) }) = flow else {
        return;
    };
    assert!(text.contains(&format!(" {target:x}")), "{flow:?} {text}");
}

#[test]
fn whole_programs_as_objdump_lists_them() {
    let programs = [
        programs::c(&["-O2", "-g"]),
        programs::c(&["-O3", "-mavx2", "-fcf-protection"]),
        programs::cpp(&["-O2"]),
        programs::rust(&["-O"]),
    ];
    programs.iter().flatten().for_each(check_x86);
}

#[test]
fn targets_carry_names() {
    let Some(program) = programs::c(&["-O1"]) else { return };
    let binary = Binary::parse(&program.bytes).unwrap();
    let main = binary.function_named("main").unwrap();
    let lines = binary.disassemble(main.range()).unwrap();
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    assert!(texts.contains(&"call work"), "{texts:?}");
    assert!(texts.contains(&"call strncpy@plt"), "{texts:?}");
    assert_eq!(lines.last().unwrap().flow, Flow::Return);
    assert_eq!(lines.iter().map(|line| line.bytes.len() as u64).sum::<u64>(), main.size);
}

const LIBRARY: &str = r#"
#![no_std]
#[unsafe(no_mangle)]
pub fn lotse_mix(data: &[u32], key: u64) -> u64 {
    let mut sum = key;
    for (index, &word) in data.iter().enumerate() {
        sum = sum.rotate_left(word & 31) ^ u64::from(word).wrapping_mul(index as u64 | 1);
        if sum % 7 == 3 { sum /= key | 1; }
    }
    sum
}
"#;

/// Mnemonics between a function's label and its end in assembly text.
fn assembly(text: &str, function: &str) -> Vec<String> {
    let body = text.lines().skip_while(|line| *line != format!("{function}:"));
    let body = body.take_while(|line| !line.starts_with(".Lfunc_end"));
    let instructions = body.filter(|line| line.starts_with('\t') && !line.starts_with("\t."));
    instructions.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn code_for_64_bit_arm_as_its_compiler_wrote_it() {
    let target = ["--target", "aarch64-unknown-linux-gnu", "--crate-type", "lib", "-O"];
    let flags = |emit| target.iter().copied().chain(["--emit", emit]).collect::<Vec<_>>();
    let Some(object) = programs::build("rustc", "library.rs", LIBRARY, &flags("obj")) else { return };
    let Some(listing) = programs::build("rustc", "library.rs", LIBRARY, &flags("asm")) else { return };
    let expected = assembly(std::str::from_utf8(&listing.bytes).unwrap(), "lotse_mix");
    let binary = Binary::parse(&object.bytes).unwrap();
    let function = binary.function_named("lotse_mix").unwrap();
    let lines = binary.disassemble(function.range()).unwrap();
    let found: Vec<String> = lines.iter().map(|line| mnemonic(&line.text)).collect();
    assert_eq!(found, expected);
    assert!(lines.iter().any(|line| matches!(line.flow, Flow::Jump { target: Some(_), conditional: true })));
}

#[test]
fn other_processors_are_named() {
    // The header of an ELF for RISC-V and nothing else.
    let mut bytes = vec![0; 64];
    bytes[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x00");
    bytes[16..24].copy_from_slice(&[2, 0, 243, 0, 1, 0, 0, 0]);
    bytes[52] = 64;
    let binary = Binary::parse(&bytes).unwrap();
    let error = binary.disassemble(0..4).unwrap_err();
    assert_eq!(error.to_string(), "cannot disassemble riscv code, only x86, x86-64 and aarch64");
}

#[test]
fn where_no_code_is() {
    let Some(program) = programs::c(&["-O1"]) else { return };
    let binary = Binary::parse(&program.bytes).unwrap();
    assert_eq!(binary.disassemble(1..5).unwrap_err().to_string(), "no code at 0x1..0x5");
    let main = binary.function_named("main").unwrap();
    assert!(binary.disassemble(main.address..u64::MAX).unwrap().len() > 10);
}
