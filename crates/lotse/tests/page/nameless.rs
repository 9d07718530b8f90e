//! The assembly of code without symbols.

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions, scope};

/// The program of the fixture without its symbol tables.
fn stripped() -> Vec<u8> {
    let mut bytes = std::fs::read(fixture("profile/words-list")).unwrap();
    let number = |bytes: &[u8], at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    let (first, size, count) = (number(&bytes, 0x28, 8), number(&bytes, 0x3a, 2), number(&bytes, 0x3c, 2));
    for section in 0..count {
        let kind = first + section * size + 4;
        // SHT_SYMTAB and SHT_DYNSYM become sections without a meaning.
        if matches!(number(&bytes, kind, 4), 2 | 11) {
            bytes[kind] = 1;
        }
    }
    bytes
}

/// A profile with costs at these addresses of a program, in a function without a name.
fn opened(addresses: &[u64], binary: Option<&[u8]>) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    if let Some(binary) = binary {
        std::fs::write(&program, binary).unwrap();
    }
    let lines: String = addresses.iter().map(|address| format!("{address:#x} 0 10\n")).collect();
    let text = format!(
        "# callgrind format\nversion: 1\npositions: instr line\nevents: Ir\n\nob={}\nfl=???\nfn=0x00000000000010a0\n{lines}",
        program.display()
    );
    let file = folder.path().join("callgrind.out");
    std::fs::write(&file, text).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    (folder, server)
}

fn source(server: &Server) -> Value {
    let table = server.answer(&functions(&json!({})));
    let function = table["rows"][0]["function"]["id"].clone();
    server.answer(&json!({"ask": "source", "scope": scope(), "function": function, "events": ["Ir"], "instructions": true}))
}

/// Addresses of instructions of `main` in the fixture, and one far away.
#[test]
fn code_without_a_symbol_is_disassembled_around_its_costs() {
    let (_folder, server) = opened(&[0x10a0, 0x10a7, 0x10b3], Some(&stripped()));
    let shown = source(&server);
    let instructions = shown["code"]["instructions"].as_array().unwrap_or_else(|| panic!("{shown:#}"));
    let addresses: Vec<&str> = instructions.iter().map(|it| it["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, ["0x10a0", "0x10a1", "0x10a2", "0x10a7", "0x10ab", "0x10ae", "0x10b0", "0x10b3"]);
    let sum: f64 = instructions.iter().map(|it| it["self"][0]["value"].as_f64().unwrap()).sum();
    assert_eq!(sum, 30.0, "no cost is lost");
    assert!(shown["remarks"].to_string().contains("has no symbol"), "{}", shown["remarks"]);
}

#[test]
fn costs_beside_instructions_and_outside_of_the_code_are_said() {
    let (_folder, server) = opened(&[0x10a0, 0x10a3], Some(&stripped()));
    let shown = source(&server);
    assert!(
        shown["remarks"].to_string().contains("not at the start of an instruction"),
        "{}",
        shown["remarks"]
    );
    let (_folder, server) = opened(&[0x7000_0000], Some(&stripped()));
    let shown = source(&server);
    assert_eq!(shown["code"], Value::Null);
    assert!(shown["remarks"].to_string().contains("another build"), "{}", shown["remarks"]);
}

#[test]
fn a_missing_program_is_said() {
    let (_folder, server) = opened(&[0x10a0], None);
    let shown = source(&server);
    assert_eq!(shown["code"], Value::Null);
    assert!(shown["remarks"].to_string().contains("no assembly"), "{}", shown["remarks"]);
}
