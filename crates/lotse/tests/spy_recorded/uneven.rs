//! Two loops of which recording slows one down much more than the other; prints the share of the first by the clock.

use std::hint::black_box;
use std::time::Instant;

fn tight(values: &mut [f64], passes: usize) {
    for _ in 0..passes {
        for value in values.iter_mut() {
            *value = *value * 0.999 + 0.5;
        }
    }
}

fn step(mut state: f64) -> f64 {
    for _ in 0..60 {
        state = (1.1 + state.sin()).exp().ln().tan().atan().cosh().ln_1p();
    }
    state
}

fn heavy(results: &mut [f64]) {
    for result in results.iter_mut() {
        *result = step(*result); // HEAVY
    }
}

fn main() {
    let mut values = vec![1.0; 10_000];
    let mut results = vec![0.5; 200];
    let mut seconds = [0.0; 2];
    for _ in 0..40 {
        let started = Instant::now();
        tight(black_box(&mut values), 4);
        seconds[0] += started.elapsed().as_secs_f64();
        let started = Instant::now();
        heavy(black_box(&mut results));
        seconds[1] += started.elapsed().as_secs_f64();
    }
    let share = seconds[0] / (seconds[0] + seconds[1]);
    println!("{share} {} {}", values[7], results[7]);
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, share.to_string()).unwrap();
    }
}
