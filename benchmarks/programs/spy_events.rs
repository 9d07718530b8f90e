//! A program that makes many accesses to its data structures: regular, irregular, and by methods.

use std::collections::HashMap;
use std::hint::black_box;

fn main() {
    let million: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(100);
    for round in 0..million.div_ceil(10) {
        regular(round as u64);
        irregular(round as u64);
        methods(round as u64);
    }
}

/// Five million accesses in order.
fn regular(round: u64) {
    let mut row: Vec<u64> = vec![round; 1_000_000];
    for index in 0..row.len() {
        row[index] = black_box(index as u64);
    }
    let mut sum = 0_u64;
    for _ in 0..4 {
        for value in &row {
            sum = black_box(sum.wrapping_add(*value));
        }
    }
    black_box(sum);
}

/// Three million accesses in no order.
fn irregular(round: u64) {
    let mut table: Vec<u32> = vec![1; 1 << 18];
    let mut state = round | 1;
    for _ in 0..1_500_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 46) as usize;
        table[at] = table[at].wrapping_add(1);
    }
    black_box(&table);
}

/// Two million calls of methods.
fn methods(round: u64) {
    let mut stack = Vec::new();
    let mut counts: HashMap<u64, u64> = HashMap::new();
    for number in 0..600_000_u64 {
        stack.push(number);
        if number % 2 == round % 2 {
            black_box(stack.pop());
        }
        if number % 4 == 0 {
            counts.insert(black_box(number % 5000), number);
        }
    }
    stack.clear();
    for number in 0..900_000_u64 {
        stack.push(number);
    }
    black_box((&stack, &counts));
}
