//! Time per cache line for working sets of different sizes. One number of each line is accessed, so that computing costs next to
//! nothing.

use std::hint::black_box;

use super::{LineTimes, MeasuredConstant, measure};

/// Bytes of a number.
const NUMBER: u64 = 8;
/// Minimum number of lines per repetition, so that the cost of reading the clock is negligible.
const LEAST: u64 = 20_000;

/// Measures four access patterns over the same working set: sequential reads, sequential writes, independent reads in random
/// order, and pointer chasing in the same order. Small sets are traversed several times per repetition.
pub(super) fn line_times(bytes: u64, line: u64, repetitions: u32) -> LineTimes {
    let step = usize::try_from((line / NUMBER).max(1)).unwrap_or(8);
    let count = usize::try_from(bytes / line).unwrap_or(16).max(16);
    let mut data = vec![1_u64; count * step];
    let rounds = (LEAST / count as u64).max(1);
    let touched = rounds * count as u64;
    let stream = measure(repetitions, touched, || {
        for _ in 0..rounds {
            let numbers = black_box(&data).iter().step_by(step);
            black_box(numbers.fold(0_u64, |sum, value| sum.wrapping_add(*value)));
        }
    });
    let written = measure(repetitions, touched, || {
        for round in 0..rounds {
            black_box(&mut data).iter_mut().step_by(step).for_each(|value| *value = round);
        }
    });
    let order = random_cycle(count);
    let scattered = measure(repetitions, touched, || {
        for _ in 0..rounds {
            let data = black_box(&data);
            let sum = order.iter().fold(0_u64, |sum, line| sum.wrapping_add(data[*line as usize * step]));
            black_box(sum);
        }
    });
    LineTimes { stream, scattered, latency: pointer_chase(&mut data, step, &order, repetitions), written }
}

/// Pages that are accessed: more than a TLB has entries, and few enough for one line of each to fit into the second-level cache.
const PAGES: usize = 8192;

pub(super) fn page_walks(page: u64, line: u64, repetitions: u32) -> MeasuredConstant {
    let numbers = |bytes: u64| usize::try_from(bytes / NUMBER).unwrap_or(8).max(1);
    // The next line on each page, so that the lines are in different cache sets.
    let far = numbers(page + line);
    let data = vec![1_u64; PAGES * far];
    let of_step = |step: usize| {
        measure(repetitions, 4 * PAGES as u64, || {
            for _ in 0..4 {
                let numbers = black_box(&data).iter().step_by(step).take(PAGES);
                black_box(numbers.fold(0_u64, |sum, value| sum.wrapping_add(*value)));
            }
        })
    };
    let (walked, known) = (of_step(far), of_step(numbers(line)));
    MeasuredConstant { nanoseconds: (walked.nanoseconds - known.nanoseconds).max(0.0), spread: walked.spread }
}

/// A load from the first-level cache whose address is the result of the previous load.
pub(super) fn first_load(repetitions: u32) -> MeasuredConstant {
    let order = random_cycle(64);
    pointer_chase(&mut vec![0_u64; 64 * 8], 8, &order, repetitions)
}

/// Pointer chasing: every line holds the index of the next one.
fn pointer_chase(data: &mut [u64], step: usize, order: &[u32], repetitions: u32) -> MeasuredConstant {
    for (index, line) in order.iter().enumerate() {
        let next = order[(index + 1) % order.len()];
        data[*line as usize * step] = u64::from(next) * step as u64;
    }
    let steps = (order.len() as u64).clamp(LEAST, 200_000);
    let mut at = 0_u64;
    measure(repetitions, steps, || {
        let data = black_box(&*data);
        for _ in 0..steps {
            at = data[at as usize];
        }
        black_box(at);
    })
}

/// All lines in random order. Visiting them in the order of a permutation, and then the first again, forms a single cycle.
fn random_cycle(count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
    let mut state = 88_172_645_463_325_252_u64;
    for index in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(index, (state % (index as u64 + 1)) as usize);
    }
    order
}
