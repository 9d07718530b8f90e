//! Two loops, one of which is slowed down much more by recording, and calls of the library; writes their shares of the time.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
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

fn front(queue: &mut Vec<u64>) {
    for _ in 0..320 {
        let first = queue.remove(0); // FRONT
        queue.push(first);
    }
}

fn costly(number: f64) -> f64 {
    (1.1 + number.sin()).exp().ln().tan().atan().cosh().ln_1p()
}

/// Takes long to compare and to hash, with few accesses to memory.
struct Key(f64);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        costly(self.0) == costly(other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(costly(costly(costly(self.0))).to_bits());
    }
}

fn distinct(seen: &mut Vec<Key>) {
    for number in 0..110 {
        let wanted = Key(f64::from(number * 7 % 60));
        if !seen.contains(&wanted) {
            seen.push(wanted); // SET
        }
    }
}

fn count(counts: &mut HashMap<Key, u64>) {
    for number in 0..400 {
        let wanted = Key(f64::from(number % 200));
        if counts.contains_key(&wanted) { // TWICE
            *counts.get_mut(&wanted).unwrap() += 1;
        } else {
            counts.insert(wanted, 1);
        }
    }
}

fn main() {
    let mut values = vec![1.0; 10_000];
    let mut results = vec![0.5; 100];
    let mut queue: Vec<u64> = (0..20_000).collect();
    let (mut seen, mut counts) = (Vec::new(), HashMap::new());
    let mut seconds = [[0.0; 60]; 5];
    for round in 0..60 {
        let mut clock = |at: usize, run: &mut dyn FnMut()| {
            let started = Instant::now();
            run();
            seconds[at][round] = started.elapsed().as_secs_f64();
        };
        clock(0, &mut || tight(black_box(&mut values), 1));
        clock(1, &mut || heavy(black_box(&mut results)));
        clock(2, &mut || front(black_box(&mut queue)));
        clock(3, &mut || distinct(black_box(&mut seen)));
        clock(4, &mut || count(black_box(&mut counts)));
    }
    // The median leaves out rounds in which other processes had the processor.
    let medians = seconds.map(|mut rounds| {
        rounds.sort_by(f64::total_cmp);
        rounds[30]
    });
    let all: f64 = medians.iter().sum();
    let shares = medians.map(|it| (it / all).to_string()).join(" ");
    println!("{all} {shares} {} {}", values[7], results[7]);
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, shares).unwrap();
    }
}
