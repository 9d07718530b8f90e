//! Functions whose last call is compiled to a jump: they are missing in call stacks.

use std::hint::black_box;

#[inline(never)]
fn squares(n: u64) -> Vec<u64> {
    (0..n).map(|i| i * i).collect() //~ Vec Insert 300
}

#[inline(never)]
fn evens(row: &[u64]) -> Vec<u64> {
    row.iter().copied().filter(|i| i % 2 == 0).collect() //~ Vec Insert 150
}

#[inline(never)]
fn collected(elements: Box<dyn Iterator<Item = u64>>) -> Vec<u64> {
    elements.collect() //~ Vec Insert 400
}

#[inline(never)]
fn through_another(n: u64) -> Vec<u64> {
    pairs(n, 3)
}

#[inline(never)]
fn pairs(n: u64, m: u64) -> Vec<u64> {
    (0..n).flat_map(|i| (0..m).map(move |j| i * j)).collect() //~ Vec Insert 210
}

fn main() {
    let all = black_box(squares(black_box(300)));
    black_box(evens(black_box(&all)));
    black_box(collected(black_box(Box::new(0..400))));
    black_box(through_another(black_box(70)));
}
