//! Loops whose iterations are independent, at lines that end with INDEPENDENT, and loops whose iterations are not. Every
//! function has structures of its own.

use std::hint::black_box;

const N: usize = 3000;

fn vector() -> Vec<u64> {
    black_box(vec![3; N])
}

fn stencil_into_another() -> Vec<u64> {
    let old = vector();
    let mut new = black_box(vec![0; N]);
    for i in 1..N - 1 {
        new[i] = old[i - 1] + old[i] + old[i + 1]; // INDEPENDENT
    }
    new
}

fn prefix_sum() -> Vec<u64> {
    let mut sums = black_box(vec![1; N]);
    for i in 1..N {
        sums[i] += sums[i - 1];
    }
    sums
}

fn scale_in_place() -> Vec<u64> {
    let mut scaled = black_box(vec![2; N]);
    for x in &mut scaled {
        *x *= 3; // INDEPENDENT
    }
    scaled
}

fn reduction() -> u64 {
    let mut sum = 0;
    for x in &black_box(vec![5_u64; N]) {
        sum += *x ^ 1;
    }
    sum
}

fn histogram() -> Vec<u64> {
    let values = vector();
    let mut counts = black_box(vec![0; 100]);
    for x in &values {
        counts[(*x * 7 % 100) as usize] += 1;
    }
    counts
}

/// All iterations read what the first one writes.
fn first_element() -> Vec<u64> {
    let mut shared = black_box(vec![1; N]);
    for i in 0..N {
        shared[i] = shared[0] + i as u64;
    }
    shared
}

fn two_ways() -> Vec<u64> {
    let values = vector();
    let mut chosen = black_box(vec![0; N]);
    for i in 0..N {
        if black_box(i) % 3 == 0 {
            chosen[i] = values[i];
        } else {
            chosen[i] = values[i] * 2; // INDEPENDENT
        }
    }
    chosen
}

fn two_ways_with_dependence() -> Vec<u64> {
    let mut carried = black_box(vec![0; N]);
    for i in 1..N {
        if black_box(i) % 3 == 0 {
            carried[i] = carried[i - 1];
        } else {
            carried[i] = 4;
        }
    }
    carried
}

/// Every pass needs the one before, but within a pass iterations are independent.
fn passes() -> Vec<u64> {
    let mut rows = black_box(vec![1; N]);
    for pass in 0..5 {
        for x in rows.iter_mut() {
            *x += black_box(pass) + 2; // INDEPENDENT
        }
    }
    rows
}

#[inline(never)]
fn set(list: &mut [u64], at: usize) {
    list[at] = at as u64;
}

fn through_a_call() -> Vec<u64> {
    let mut called = black_box(vec![0; N]);
    for i in 0..N { // INDEPENDENT
        set(&mut called, i);
    }
    called
}

#[inline(never)]
fn carry(list: &mut [u64], at: usize) {
    list[at] = list[at - 1] + 1;
}

fn dependence_through_a_call() -> Vec<u64> {
    let mut called = black_box(vec![0; N]);
    for i in 1..N {
        carry(&mut called, i);
    }
    called
}

fn grows() -> Vec<u64> {
    let mut grown = Vec::new();
    for i in 0..N as u64 {
        grown.push(black_box(i));
    }
    grown
}

fn chunks() -> Vec<u64> {
    let mut blocks = black_box(vec![0; N]);
    for (number, block) in blocks.chunks_mut(10).enumerate() {
        for x in block {
            *x = number as u64; // INDEPENDENT or not seen: ten iterations are few
        }
    }
    blocks
}

fn main() {
    black_box(stencil_into_another());
    black_box(prefix_sum());
    black_box(scale_in_place());
    black_box(reduction());
    black_box(histogram());
    black_box(first_element());
    black_box(two_ways());
    black_box(two_ways_with_dependence());
    black_box(passes());
    black_box(through_a_call());
    black_box(dependence_through_a_call());
    black_box(grows());
    black_box(chunks());
}
