//! Damaged programs: results may be wrong, but nothing panics or hangs.

use lotse_symbols::Binary;

use crate::programs;

/// Calls everything that reads another part of the file; returns the number of results.
fn query_all(bytes: &[u8]) -> usize {
    let Ok(binary) = Binary::parse(bytes) else { return 0 };
    let functions: Vec<_> = binary.symbols().take(8).collect();
    let mut answers = functions.len();
    for function in functions {
        answers += binary.resolve(function.address).frames.len();
        answers += binary.resolve(function.address.wrapping_add(function.size / 2)).frames.len();
        let end = function.address.saturating_add(function.size.min(256));
        answers += binary.disassemble(function.address..end).map_or(0, |lines| lines.len());
    }
    answers += usize::from(binary.function_named("main").is_some());
    answers += usize::from(binary.build_id().is_some()) + usize::from(binary.debug_link().is_some());
    answers + usize::from(binary.address_of_offset(0x1234).is_some())
}

/// A generator of positions and values; the same each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

fn check(bytes: &[u8], seed: u64) {
    let undamaged = query_all(bytes);
    assert!(undamaged > 20, "{undamaged}");
    let mut numbers = Numbers(seed);
    for _ in 0..60 {
        query_all(&bytes[..numbers.next(bytes.len())]);
    }
    for round in 0..150 {
        let mut damaged = bytes.to_vec();
        for _ in 0..1 + round % 40 {
            // Headers and tables are at both ends; half of the damage goes there.
            let near_end = bytes.len() - 1 - numbers.next(bytes.len().min(4096));
            let places = [numbers.next(bytes.len()), numbers.next(128), near_end, numbers.next(bytes.len())];
            let place = places[numbers.next(places.len())];
            damaged[place] ^= 1 << numbers.next(8);
        }
        query_all(&damaged);
    }
}

#[test]
fn damaged_programs() {
    if let Some(program) = programs::c(&["-O2", "-g"]) {
        check(&program.bytes, 1);
    }
}

#[test]
fn damaged_compressed_sections() {
    for kind in ["zlib", "zstd"] {
        if let Some(program) = programs::c(&["-O2", "-g", &format!("-Wl,--compress-debug-sections={kind}")]) {
            check(&program.bytes, 2);
        }
    }
}

#[test]
fn damaged_debug_sections() {
    let Some(program) = programs::c(&["-O2", "-g"]) else { return };
    let Some(listing) = program.tool_output("readelf", &["-S", "-W"]) else { return };
    let debug = listing.lines().filter(|line| line.contains(".debug_"));
    let mut numbers = Numbers(3);
    for line in debug {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = fields.iter().position(|field| field.starts_with(".debug_")).unwrap();
        let number = |field: usize| usize::from_str_radix(fields[at + field], 16).unwrap();
        let (start, size) = (number(3), number(4));
        for round in 0..60 {
            let mut damaged = program.bytes.clone();
            for _ in 0..1 + round % 8 {
                damaged[start + numbers.next(size)] = numbers.next(256) as u8;
            }
            query_all(&damaged);
        }
    }
}

#[test]
fn a_section_that_claims_to_be_huge_is_reported() {
    let Some(program) = programs::c(&["-O2", "-g", "-Wl,--compress-debug-sections=zlib"]) else { return };
    let Some(listing) = program.tool_output("readelf", &["-S", "-W"]) else { return };
    let line = listing.lines().find(|line| line.contains(".debug_info")).unwrap();
    let fields: Vec<&str> = line.split_whitespace().collect();
    let at = fields.iter().position(|field| *field == ".debug_info").unwrap();
    let start = usize::from_str_radix(fields[at + 3], 16).unwrap();
    let mut bytes = program.bytes.clone();
    // The second word of the compression header is the size to come.
    bytes[start + 8..start + 16].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let binary = Binary::parse(&bytes).unwrap();
    let main = binary.function_named("main").unwrap();
    assert_eq!(binary.resolve(main.address).frames.len(), 1);
    let problem = binary.debug_problem().unwrap().to_string();
    assert!(problem.ends_with("to 1099511627776 bytes"), "{problem}");
}
