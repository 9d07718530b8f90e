//! Loops whose iterations are independent, at lines that end with INDEPENDENT, and loops whose iterations are not. Every
//! function has structures of its own.

use std::hint::black_box;
use std::num::Wrapping;
use std::sync::atomic::{AtomicU64, Ordering};

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
    for (number, block) in blocks.chunks_mut(10).enumerate() { // INDEPENDENT
        for x in block {
            *x = number as u64; // INDEPENDENT or too short
        }
    }
    blocks
}

/// Rows of the result are independent, and so are those of a table whose rows are read by all.
fn matrix() -> Vec<u64> {
    const SIDE: usize = 60;
    let (left, right) = (vector(), vector());
    let mut product = black_box(vec![0; SIDE * SIDE]);
    for row in 0..SIDE / 2 { // INDEPENDENT
        for column in 0..SIDE {
            product[row * SIDE + column] = left[row] * right[column]; // INDEPENDENT or too short
        }
    }
    product
}

/// Columns are independent although the elements of each are spread over the whole table.
fn columns() -> Vec<u64> {
    const SIDE: usize = 60;
    let mut sums = black_box(vec![1; SIDE * SIDE]);
    for column in 0..SIDE { // INDEPENDENT
        for row in 1..SIDE {
            sums[row * SIDE + column] += sums[(row - 1) * SIDE + column];
        }
    }
    sums
}

/// Each row needs the one before, and each element its neighbour.
fn wavefront() -> Vec<u64> {
    const SIDE: usize = 60;
    let mut front = black_box(vec![1_u64; SIDE * SIDE]);
    for row in 1..SIDE {
        for column in 1..SIDE {
            let at = row * SIDE + column;
            front[at] = front[at - 1].wrapping_add(front[at - SIDE]);
        }
    }
    front
}

/// Every iteration makes a structure of its own, of the same memory.
fn own_structures() -> Vec<u64> {
    let mut results = black_box(vec![0; 1200]);
    for (number, result) in results.iter_mut().enumerate() { // INDEPENDENT
        let mut scratch = Vec::new();
        for i in 0..50 {
            scratch.push(black_box(i + number as u64));
        }
        *result = scratch.iter().sum(); // INDEPENDENT or too short
    }
    results
}

/// A random number depends on the one before, which is kept in memory.
fn random() -> Vec<u64> {
    let mut state = black_box(Box::new(1_u64));
    let mut drawn = black_box(vec![0; N]);
    for x in &mut drawn {
        *x = black_box(&mut state).wrapping_mul(6_364_136_223_846_793_005);
        **black_box(&mut state) = *x + 1;
    }
    drawn
}

/// The same, in registers.
fn random_in_registers() -> Vec<u64> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut drawn = black_box(vec![0; N]);
    for x in &mut drawn {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *x = state;
    }
    drawn
}

/// The state is moved out of a variable and back by methods of the library.
fn random_in_an_option() -> Vec<u64> {
    let mut state = black_box(Some(1_u64));
    let mut drawn = black_box(vec![0; N]);
    for x in &mut drawn {
        let before = black_box(&mut state).take().unwrap_or(7);
        *x = before;
        black_box(&mut state).replace(before.wrapping_mul(6_364_136_223_846_793_005));
    }
    drawn
}

/// Each element of the iterator is computed from the one before.
fn successors() -> Vec<u64> {
    let mut numbers = std::iter::successors(Some(black_box(7_u64)), |x| Some(x.wrapping_mul(31).wrapping_add(3)));
    let mut drawn = black_box(vec![0; N]);
    for x in &mut drawn {
        *x = black_box(&mut numbers).next().unwrap_or(0);
    }
    drawn
}

/// Operators of the library change the state.
fn random_in_wrapping() -> Vec<u64> {
    let mut state = black_box(Wrapping(3_u64));
    let mut drawn = black_box(vec![0; N]);
    for x in &mut drawn {
        let state = black_box(&mut state);
        *state *= 6_364_136_223_846_793_005;
        *state += 99;
        *x = state.0;
    }
    drawn
}

/// Each result needs the element that the iteration before read.
fn differences() -> Vec<u64> {
    let values = vector();
    let mut differences = black_box(vec![0; N]);
    let mut before = 0;
    for i in 0..N {
        let now = values[i] * 3;
        differences[i] = now - before;
        before = now / 2;
    }
    differences
}

/// Each iteration reads an element that a later one writes, and the element that it writes itself.
fn knapsack() -> Vec<u64> {
    let mut best = black_box(vec![0_u64; N]);
    for (weight, value) in [(3, 5), (7, 9), (11, 20), (40, 3)] {
        for w in (weight..N).rev() {
            best[w] = best[w].max(best[w - weight] + value);
        }
    }
    best
}

/// Each row reads the next one, which is written later.
fn rows_in_place() -> Vec<u64> {
    const SIDE: usize = 60;
    let mut rows = black_box(vec![1_u64; SIDE * SIDE]);
    for y in 0..SIDE - 1 {
        for x in 0..SIDE {
            rows[y * SIDE + x] = rows[y * SIDE + x] / 2 + rows[(y + 1) * SIDE + x]; // INDEPENDENT or too short
        }
    }
    rows
}

/// The position in the output advances only in some iterations.
fn compacted() -> (Vec<u64>, usize) {
    let values = vector();
    let mut kept = black_box(vec![0; N]);
    let mut count = 0;
    for i in 0..N {
        if values[i] > 2 {
            kept[count] = values[i];
            count += 1;
        }
    }
    (kept, count)
}

/// The order of a sum does not matter.
fn sum_beside() -> (Vec<u64>, u64) {
    let mut doubled = black_box(vec![2; N]);
    let mut sum = 0;
    for x in &mut doubled {
        sum += *x;
        *x *= 2; // INDEPENDENT
    }
    (doubled, sum)
}

/// Blocks whose length does not divide that of the vector.
fn uneven_chunks() -> Vec<u64> {
    let mut blocks = black_box(vec![0_u64; N]);
    for block in blocks.chunks_mut(black_box(37)) { // INDEPENDENT
        for x in block {
            *x += 3; // INDEPENDENT or too short
        }
    }
    blocks
}

/// Compilers let the loop over passes and that over rows begin in one block.
fn passes_over_rows() -> Vec<Vec<u64>> {
    let mut rows: Vec<Vec<u64>> = (0..60).map(|_| black_box(vec![1; 60])).collect();
    for _ in 0..5 {
        for row in rows.iter_mut() { // INDEPENDENT
            for x in row.iter_mut() {
                *x = *x * 3 + 1; // INDEPENDENT or too short
            }
        }
    }
    rows
}

/// No row is long, and each is used once; the length of the next one may be loaded an iteration early.
fn product_of_rows() -> Vec<Vec<u64>> {
    const SIDE: usize = 30;
    let rows = |value: u64| -> Vec<Vec<u64>> { (0..SIDE).map(|_| black_box(vec![value; 60])).collect() };
    let (left, right, mut product) = (rows(2), rows(3), rows(0));
    for row in 0..SIDE { // INDEPENDENT
        for column in 0..60 {
            let mut sum = 0;
            for k in 0..SIDE {
                sum += left[row][k] * right[k][column];
            }
            product[row][column] = sum; // INDEPENDENT or too short
        }
    }
    product
}

/// The error of a pixel goes to the next one, but not from row to row.
fn dithered() -> Vec<u64> {
    let shades = black_box((0..3000).map(|i| i * 7919 % 256).collect::<Vec<u64>>());
    let mut dots = black_box(vec![0; shades.len()]);
    for (line, row) in shades.chunks(60).zip(dots.chunks_mut(60)) { // INDEPENDENT
        let mut error = 0;
        for (shade, dot) in line.iter().zip(row.iter_mut()) {
            let wanted = shade + error;
            *dot = wanted / 128;
            error = wanted % 128;
        }
    }
    dots
}

/// Every iteration takes the next number of a counter that threads share.
fn tickets() -> Vec<u64> {
    static TICKET: AtomicU64 = AtomicU64::new(0);
    let mut taken = black_box(vec![0; N]);
    for x in taken.iter_mut() {
        *x = TICKET.fetch_add(1, Ordering::Relaxed); // state, seen where it is inlined
    }
    taken
}

fn main() {
    black_box(tickets());
    black_box(random_in_an_option());
    black_box(successors());
    black_box(random_in_wrapping());
    black_box(passes_over_rows());
    black_box(product_of_rows());
    black_box(dithered());
    black_box(random_in_registers());
    black_box(differences());
    black_box(knapsack());
    black_box(rows_in_place());
    black_box(compacted());
    black_box(sum_beside());
    black_box(uneven_chunks());
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
    black_box(matrix());
    black_box(columns());
    black_box(wavefront());
    black_box(own_structures());
    black_box(random());
}
