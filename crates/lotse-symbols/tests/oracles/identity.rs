//! Build ids, offsets and kinds of programs, compared with `readelf`.

use lotse_symbols::{Architecture, Binary};

use crate::programs;

#[test]
fn build_ids() {
    let Some(program) = programs::c(&["-Wl,--build-id"]) else { return };
    let Some(notes) = program.tool_output("readelf", &["-n"]) else { return };
    let expected = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: ")).unwrap();
    let found: String = Binary::parse(&program.bytes)
        .unwrap()
        .build_id()
        .unwrap()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn offsets_become_addresses_of_the_same_bytes() {
    for flags in [&["-O1"][..], &["-O1", "-no-pie"]] {
        let Some(program) = programs::c(flags) else { continue };
        let binary = Binary::parse(&program.bytes).unwrap();
        let main = binary.function_named("main").unwrap();
        let code: Vec<u8> =
            binary.disassemble(main.range()).unwrap().into_iter().flat_map(|line| line.bytes).collect();
        let offset = program.bytes.windows(code.len()).position(|window| window == code).unwrap();
        assert_eq!(binary.address_of_offset(offset as u64), Some(main.address), "{flags:?}");
        assert_eq!(binary.address_of_offset(program.bytes.len() as u64), None);
        assert_eq!(binary.is_position_independent(), !flags.contains(&"-no-pie"));
    }
}

#[test]
fn architectures() {
    if let Some(program) = programs::c(&[]) {
        assert_eq!(
            Binary::parse(&program.bytes).unwrap().architecture().to_string(),
            Architecture::X86_64.to_string()
        );
    }
}

#[test]
fn what_is_no_program() {
    for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe\0\0\0\x01"] {
        let error = Binary::parse(bytes).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "cannot read the object file");
    }
}

#[test]
fn a_program_for_several_processors_that_is_cut_short() {
    // One x86-64 part of 0x100 bytes at 0x1000.
    let words: [u32; 7] = [0xcafe_babe, 1, 0x0100_0007, 3, 0x1000, 0x100, 12];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let error = Binary::parse(&bytes).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the file ends after 28 bytes, but its part for one processor needs 4352");
}
