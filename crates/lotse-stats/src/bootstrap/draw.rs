//! Drawing resamples on several threads. The result does not depend on the number of threads.

use std::ops::Range;

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::BootstrapOptions;

/// Resamples per generator. Part of the reproducible result: changing it changes all intervals.
const CHUNK: usize = 128;

/// A source of random indices.
pub(super) struct Generator(Xoshiro256PlusPlus);

impl Generator {
    fn for_chunk(seed: u64, chunk: usize) -> Self {
        // The multiplier spreads the seeds of neighbouring chunks; it is odd, so no two chunks have the same seed.
        let offset = (chunk as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(offset)))
    }

    /// `n` indices below `n`, drawn with replacement.
    pub(super) fn indices(&mut self, n: usize) -> Vec<usize> {
        // The high half of a 128-bit product is uniform up to a bias of n / 2^64.
        (0..n).map(|_| ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize).collect()
    }
}

/// The values at these indices.
pub(super) fn gather(values: &[f64], indices: &[usize]) -> Vec<f64> {
    indices.iter().map(|&i| values[i]).collect()
}

/// All resampled statistics, in the order of their chunks. Each thread draws a contiguous range of chunks.
pub(super) fn draw_all<F>(options: &BootstrapOptions, statistic: F) -> Vec<f64>
where
    F: Fn(&mut Generator) -> f64 + Sync,
{
    let mut drawn = vec![0.0; options.resamples];
    let chunks = options.resamples.div_ceil(CHUNK);
    let per_thread = chunks.div_ceil(options.threads.max(1)).max(1);
    let draw = |slots: &mut [f64], chunk: usize| {
        let mut generator = Generator::for_chunk(options.seed, chunk);
        slots.iter_mut().for_each(|slot| *slot = statistic(&mut generator));
    };
    let draw_range = |slots: &mut [f64], range: Range<usize>| {
        slots.chunks_mut(CHUNK).zip(range).for_each(|(slots, chunk)| draw(slots, chunk));
    };
    if options.threads <= 1 {
        draw_range(&mut drawn, 0..chunks);
        return drawn;
    }
    std::thread::scope(|scope| {
        for (thread, slots) in drawn.chunks_mut(CHUNK * per_thread).enumerate() {
            let first = thread * per_thread;
            let draw_range = &draw_range;
            scope.spawn(move || draw_range(slots, first..first + per_thread));
        }
    });
    drawn
}
