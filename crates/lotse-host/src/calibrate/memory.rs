//! Lines of working sets of different sizes. One number of each line is touched, so that computing costs next to nothing.

use std::hint::black_box;

use super::{Lines, Measured, measure};

/// Numbers of a line of 64 bytes.
const NUMBER: u64 = 8;
/// Lines that one repetition touches at least, so that the clock's own cost vanishes.
const LEAST: u64 = 20_000;

pub(super) fn lines(bytes: u64, line: u64, repetitions: u32) -> Lines {
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
    let order = cycle(count);
    let scattered = measure(repetitions, touched, || {
        for _ in 0..rounds {
            let data = black_box(&data);
            let sum = order.iter().fold(0_u64, |sum, line| sum.wrapping_add(data[*line as usize * step]));
            black_box(sum);
        }
    });
    Lines { stream, scattered, latency: chased(&mut data, step, &order, repetitions), written }
}

/// Pages that are touched: more than any core keeps the places of, and few enough for their lines to fit a second cache.
const PAGES: usize = 8192;

pub(super) fn page_walks(page: u64, line: u64, repetitions: u32) -> Measured {
    let numbers = |bytes: u64| usize::try_from(bytes / NUMBER).unwrap_or(8).max(1);
    // A line further on each page, so that lines are in different sets.
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
    Measured { nanoseconds: (walked.nanoseconds - known.nanoseconds).max(0.0), spread: walked.spread }
}

/// A load from the first cache whose address the load before gave.
pub(super) fn first_load(repetitions: u32) -> Measured {
    let order = cycle(64);
    chased(&mut vec![0_u64; 64 * 8], 8, &order, repetitions)
}

/// Every line holds the position of the next one.
fn chased(data: &mut [u64], step: usize, order: &[u32], repetitions: u32) -> Measured {
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

/// All lines in random order (Sattolo's algorithm would make one cycle; visiting a permutation in turn does, too).
fn cycle(count: usize) -> Vec<u32> {
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
