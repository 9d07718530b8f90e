//! Latencies: chains of operations that depend on each other.

use std::hint::black_box;

use super::{Latencies, MeasuredConstant, fastest};

/// Operations per repetition.
const COUNT: u64 = 200_000;

pub(super) fn latencies(repetitions: u32) -> Latencies {
    let cycle = cycle(repetitions);
    let own = |measured: MeasuredConstant, others: f64| MeasuredConstant {
        nanoseconds: (measured.nanoseconds - others * cycle.nanoseconds).max(0.0),
        ..measured
    };
    let fp_multiply = float(repetitions, |x, c| x * c);
    // A maximum alone would change nothing after its first application.
    let multiplied = float(repetitions, |x, c| (if x > c { x } else { c }) * c);
    let select = (multiplied.nanoseconds - fp_multiply.nanoseconds).max(cycle.nanoseconds);
    let both = float(repetitions, |x, c| x * c + c);
    let fp_add = float(repetitions, |x, c| x + c);
    let other = (both.nanoseconds - fp_multiply.nanoseconds).max(fp_add.nanoseconds);
    Latencies {
        cycle,
        fp_add_other: MeasuredConstant { nanoseconds: other, ..both },
        fp_add,
        fp_multiply,
        fp_select: MeasuredConstant { nanoseconds: select, ..multiplied },
        fp_divide64: float(repetitions, |x, c| c / x),
        fp_divide32: single(repetitions, |x, c| c / x),
        square_root: float(repetitions, |x, _| x.sqrt()),
        // An odd factor that depends on x itself; setting its lowest bit takes one cycle.
        integer_multiply: own(integer(repetitions, |x| x.wrapping_mul(x | 1)), 1.0),
        fp_divide64_cost: independent_divisions(repetitions),
        store_forward: own(through_memory(repetitions), 1.0),
        load: super::memory::first_load(repetitions),
        mispredict: mispredict(repetitions),
    }
}

/// Nanoseconds of one cycle of the core.
pub(super) fn cycle(repetitions: u32) -> MeasuredConstant {
    // A rotation and an addition that depends on it, one cycle each; the compiler cannot combine them.
    let two = fastest(repetitions, COUNT, || {
        let mut x = black_box(12345_u64);
        for _ in 0..COUNT {
            x = x.wrapping_add(x.rotate_left(13));
        }
        black_box(x);
    });
    MeasuredConstant { nanoseconds: two.nanoseconds / 2.0, ..two }
}

fn float(repetitions: u32, step: impl Fn(f64, f64) -> f64) -> MeasuredConstant {
    fastest(repetitions, COUNT, || {
        let (mut x, c) = (black_box(1.5_f64), black_box(1.000_000_1_f64));
        for _ in 0..COUNT {
            x = step(x, c);
        }
        black_box(x);
    })
}

fn single(repetitions: u32, step: impl Fn(f32, f32) -> f32) -> MeasuredConstant {
    fastest(repetitions, COUNT, || {
        let (mut x, c) = (black_box(1.5_f32), black_box(1.000_1_f32));
        for _ in 0..COUNT {
            x = step(x, c);
        }
        black_box(x);
    })
}

fn integer(repetitions: u32, step: impl Fn(u64) -> u64) -> MeasuredConstant {
    fastest(repetitions, COUNT, || {
        let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..COUNT {
            x = step(x);
        }
        black_box(x);
    })
}

/// Groups of eight independent divisions.
fn independent_divisions(repetitions: u32) -> MeasuredConstant {
    fastest(repetitions, COUNT, || {
        let (mut x, c) = (black_box([1.5_f64, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2]), black_box(1.1_f64));
        for _ in 0..COUNT / 8 {
            // `black_box` prevents vectorisation: a vector division is another operation.
            for number in &mut x {
                *number = c / black_box(*number);
            }
        }
        black_box(x);
    })
}

/// A number that is stored and loaded again for every addition, at another address each time: some cores forward a value through a
/// register if its address is always the same.
fn through_memory(repetitions: u32) -> MeasuredConstant {
    const LENGTH: usize = 256;
    let mut numbers = vec![0_u64; LENGTH + 1];
    let rounds = COUNT / LENGTH as u64;
    fastest(repetitions, rounds * LENGTH as u64, || {
        for _ in 0..rounds {
            for index in 0..LENGTH {
                let numbers = black_box(&mut numbers);
                numbers[index + 1] = numbers[index].wrapping_add(1);
            }
        }
    })
}

/// The time of random branches less that of the same branches in sorted order; half of the random ones are mispredicted.
fn mispredict(repetitions: u32) -> MeasuredConstant {
    let mut state = 1_u64;
    let mut random: Vec<u64> = (0..COUNT / 8)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33 & 1
        })
        .collect();
    let run = |values: &[u64]| {
        fastest(repetitions, values.len() as u64, || {
            let mut sum = 0_u64;
            for value in values {
                // The two sides have effects that keep the compiler from replacing the branch by a conditional move.
                if *value == 0 {
                    sum = black_box(sum + 3);
                } else {
                    sum = black_box(sum ^ 5);
                }
            }
            black_box(sum);
        })
    };
    let unpredictable = run(&random);
    random.sort_unstable();
    let predictable = run(&random);
    let nanoseconds = 2.0 * (unpredictable.nanoseconds - predictable.nanoseconds).max(0.0);
    MeasuredConstant { nanoseconds, spread: unpredictable.spread }
}
