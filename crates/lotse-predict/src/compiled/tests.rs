//! Machine loops given as bytes: address steps, dependences through registers and memory, occupancy of units.

use lotse_symbols::loops;
use lotse_symbols::operation::decode;

use super::{
    AccessedBytes, Compiled, LoopSignature, MachineInstruction, MachineLoop, UnitOccupancy, plain, recurrence,
};
use crate::machine::Core;

/// The only loop of some code, all of it at line 3 of `f`.
fn only(code: &[u8]) -> MachineLoop {
    let operations = decode(code, 0);
    let found = loops(&operations);
    assert_eq!(found.len(), 1, "{operations:?}");
    let instruction = |(position, always): (&usize, &bool)| MachineInstruction {
        operation: operations[*position].clone(),
        always: *always,
        lines: vec![("f".to_owned(), 3)],
    };
    let instructions = found[0].operations.iter().zip(&found[0].always).map(instruction).collect();
    MachineLoop { header: found[0].header, instructions }
}

/// addsd xmm0, [rdi]; add rdi, 8; cmp rdi, rsi; jne
const SUM: &[u8] = &[0xf2, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xf3, 0xc3];
/// movsd xmm0, [rdi]; addsd xmm0, xmm1; movsd [rdi+8], xmm0; add rdi, 8; cmp rdi, rsi; jne
const THROUGH_MEMORY: &[u8] = &[
    0xf2, 0x0f, 0x10, 0x07, 0xf2, 0x0f, 0x58, 0xc1, 0xf2, 0x0f, 0x11, 0x47, 0x08, 0x48, 0x83, 0xc7, 0x08,
    0x48, 0x39, 0xf7, 0x75, 0xea, 0xc3,
];
/// mulpd xmm0, [rdi]; movapd [rdi], xmm0; movapd xmm0, xmm2; add rdi, 16; cmp rdi, rsi; jne
const VECTORS: &[u8] = &[
    0x66, 0x0f, 0x59, 0x07, 0x66, 0x0f, 0x29, 0x07, 0x66, 0x0f, 0x28, 0xc2, 0x48, 0x83, 0xc7, 0x10, 0x48,
    0x39, 0xf7, 0x75, 0xeb, 0xc3,
];

#[test]
fn chains() {
    let core = Core::default();
    assert_eq!(recurrence::cycles(&only(SUM), &core), core.fp_add, "one addition after the other");
    let stored = core.store_forward.max(core.load) + core.fp_add;
    assert_eq!(recurrence::cycles(&only(THROUGH_MEMORY), &core), stored, "stored, loaded, added");
    assert_eq!(recurrence::cycles(&only(VECTORS), &core), core.integer, "nothing but the pointer");
}

/// mulsd xmm0, xmm1; addsd xmm0, [rdi]; add rdi, 8; cmp rdi, rsi; jne
const PRODUCT_AND_SUM: &[u8] = &[
    0xf2, 0x0f, 0x59, 0xc1, 0xf2, 0x0f, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xef,
    0xc3,
];
/// cmp [rdi], al; je 10; add rdi, 1; jmp 14; 10: add rdi, 1; 14: cmp rdi, rsi; jne
const TWO_WAYS: &[u8] = &[
    0x38, 0x07, 0x74, 0x06, 0x48, 0x83, 0xc7, 0x01, 0xeb, 0x04, 0x48, 0x83, 0xc7, 0x01, 0x48, 0x39, 0xf7,
    0x75, 0xed, 0xc3,
];

#[test]
fn a_sum_of_a_product_takes_longer_than_a_sum_of_a_sum() {
    let core = Core { fp_add: 2.0, fp_add_other: 3.0, fp_multiply: 4.0, ..Core::default() };
    assert_eq!(recurrence::cycles(&only(SUM), &core), 2.0);
    assert_eq!(recurrence::cycles(&only(PRODUCT_AND_SUM), &core), 7.0);
}

#[test]
fn addresses_that_every_branch_steps() {
    let core = Core::default();
    let compiled = Compiled { name: "gcc".to_owned(), loops: vec![only(TWO_WAYS)] };
    let bytes = AccessedBytes { loaded: 1.0, stored: 0.0 };
    let signature =
        LoopSignature { function: "f", lines: 2..=4, strides: vec![1], results: 0.0, bytes, overlaps: false };
    assert_eq!(compiled.find(&signature, &core, 0.5).map(|found| found.iterations), Ok(1.0));
}

#[test]
fn wide_vectors_touch_two_lines_and_have_fewer_units() {
    // vaddpd zmm0, zmm0, [rdi]; add rdi, 64; cmp rdi, rsi; jne
    let wide: &[u8] =
        &[0x62, 0xf1, 0xfd, 0x48, 0x58, 0x07, 0x48, 0x83, 0xc7, 0x40, 0x48, 0x39, 0xf7, 0x75, 0xf1, 0xc3];
    let core = Core::default();
    let found = UnitOccupancy::from_loop(&only(wide), &core, 1.0);
    assert_eq!((found.results, found.vector), (8.0, 64.0));
    assert_eq!((found.loads, found.floating_point), (1.75 * core.load_cost, 1.5 * core.fp_cost));
}

#[test]
fn occupied_units() {
    let core = Core::default();
    let sum = UnitOccupancy::from_loop(&only(SUM), &core, 1.0);
    assert_eq!((sum.loads, sum.stores, sum.results), (core.load_cost, 0.0, 1.0));
    assert_eq!(sum.instructions, 3.0, "the comparison and the jump are one");
    let vectors = UnitOccupancy::from_loop(&only(VECTORS), &core, 1.0);
    assert_eq!((vectors.results, vectors.lanes, vectors.vector), (2.0, 2.0, 16.0));
    assert_eq!((vectors.conditions, vectors.calls), (0.0, 0.0));
}

#[test]
fn iterations_of_a_pass() {
    let core = Core::default();
    let find = |code: &[u8], strides: Vec<i64>, results: f64| {
        let compiled = Compiled { name: "gcc".to_owned(), loops: vec![only(code)] };
        let stored = if code == VECTORS { 8.0 } else { 0.0 };
        let bytes = AccessedBytes { loaded: 8.0, stored };
        let signature =
            LoopSignature { function: "f", lines: 2..=4, strides, results, bytes, overlaps: false };
        compiled.find(&signature, &core, 0.5).map(|found| (found.iterations, found.outer))
    };
    assert_eq!(find(SUM, vec![8], 1.0), Ok((1.0, 1.0)));
    assert_eq!(find(VECTORS, vec![8], 1.0), Ok((2.0, 1.0)));
    assert_eq!(
        find(VECTORS, vec![16], 1.0),
        Ok((2.0, 2.0)),
        "a result for two iterations of the loop around"
    );
    assert_eq!(find(VECTORS, vec![8], 0.0), Ok((2.0, 1.0)), "addresses alone tell");
    let compiled = Compiled { name: "gcc".to_owned(), loops: vec![only(VECTORS)] };
    let bytes = AccessedBytes { loaded: 8.0, stored: 0.0 };
    let signature =
        LoopSignature { function: "f", lines: 2..=4, strides: vec![8], results: 1.0, bytes, overlaps: false };
    assert!(compiled.find(&signature, &core, 0.5).is_err(), "it stores what the source does not");
    let refused = "what the compiled loop computes does not agree with the source";
    assert_eq!(find(SUM, vec![8], 5.0), Err(refused));
    let elsewhere = Compiled { name: "gcc".to_owned(), loops: vec![only(SUM)] };
    let signature = LoopSignature {
        function: "g",
        lines: 2..=4,
        strides: vec![8],
        results: 1.0,
        bytes: AccessedBytes::default(),
        overlaps: false,
    };
    assert!(elsewhere.find(&signature, &core, 0.5).is_err(), "another function");
}

#[test]
fn names_without_modules_and_types() {
    let names = [
        "solve",
        "heat::solve",
        "heat::solve::<f64>",
        "a::b::c<T>",
        "f(int)",
        "g.constprop.0",
        "heat::solve::h39a4d37d31f51264",
    ];
    assert_eq!(names.map(plain), ["solve", "solve", "solve", "c", "f", "g", "solve"]);
}
