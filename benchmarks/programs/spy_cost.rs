//! Kernels whose accesses to data structures are known: each prints its name, its accesses and its best time in seconds.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

const N: usize = 300_000;

fn measured(name: &str, accesses: usize, mut kernel: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        kernel();
        best = best.min(started.elapsed().as_secs_f64());
    }
    println!("{name} {accesses} {best:e}");
}

#[inline(never)]
fn read_in_order(v: &[u64]) -> u64 {
    let mut sum = 0_u64;
    for x in v {
        sum = sum.rotate_left(1) ^ *x;
    }
    sum
}

#[inline(never)]
fn write_in_order(v: &mut [u64]) {
    for (i, x) in v.iter_mut().enumerate() {
        *x = i as u64;
    }
}

#[inline(never)]
fn stencil(old: &[f64], new: &mut [f64]) {
    for i in 1..old.len() - 1 {
        new[i] = (old[i - 1] + old[i] + old[i + 1]) / 3.0;
    }
}

/// The next place depends on a register only: one access each.
#[inline(never)]
fn read_anywhere(v: &[u64], rounds: usize) -> u64 {
    let (mut state, mut sum) = (88_172_645_463_325_252_u64, 0);
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum ^= v[state as usize % v.len()];
    }
    sum
}

#[inline(never)]
fn count(values: &[u64], counts: &mut [u64]) {
    for x in values {
        counts[(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as usize % counts.len()] += 1;
    }
}

#[inline(never)]
fn multiply(a: &[f64], b: &[f64], c: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#[inline(never)]
fn push(n: usize) -> usize {
    let mut v = Vec::new();
    for i in 0..n {
        v.push(black_box(i));
    }
    v.len()
}

#[inline(never)]
fn look_up(map: &HashMap<u64, u64>, n: u64) -> u64 {
    (0..n).filter_map(|key| map.get(&(key * 7))).sum()
}

fn main() {
    let mut v = vec![1_u64; N];
    measured("regular-read", N, || { black_box(read_in_order(black_box(&v))); });
    measured("regular-write", N, || write_in_order(black_box(&mut v)));
    let (old, mut new) = (vec![1.5; N], vec![0.0; N]);
    measured("stencil", 4 * (N - 2), || stencil(black_box(&old), black_box(&mut new)));
    let side = 80;
    let (a, b, mut c) = (vec![1.0; side * side], vec![2.0; side * side], vec![0.0; side * side]);
    let accesses = 2 * side * side * side + side * side;
    measured("matrix-product", accesses, || multiply(black_box(&a), black_box(&b), black_box(&mut c), side));
    measured("irregular-read", N, || { black_box(read_anywhere(black_box(&v), N)); });
    let mut counts = vec![0; 1 << 16];
    measured("histogram", 3 * N, || count(black_box(&v), black_box(&mut counts)));
    measured("push", N, || { black_box(push(black_box(N))); });
    let map: HashMap<u64, u64> = (0..100_000).map(|key| (key, key)).collect();
    measured("map-look-up", 100_000, || { black_box(look_up(black_box(&map), 100_000)); });
    let shuffled: Vec<u64> = (0..200_000_u64).map(|x| x.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    measured("sort", 200_000, || {
        let mut copy = shuffled.clone();
        copy.sort_unstable();
        black_box(&copy);
    });
}
