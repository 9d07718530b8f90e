//! Memory layouts of runs.
//!
//! The start address of the stack depends on the size of the environment and of the arguments, and the speed of some programs
//! depends on that address, by 50 % and more. A layout draws both sizes from a seed and turns address space randomisation off,
//! so that it can be repeated. It also has a seed for the heap, which a preloaded shared object moves
//! (`lotse_host::HeapShim`). All programs of a block have the same layout, and blocks use the layouts in turn.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use lotse_host::{HeapShim, Job};
use lotse_model::results::LayoutPart;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The variable whose length a layout chooses.
pub const VARIABLE: &str = "LOTSE_LAYOUT";

/// Alignment of the stack in bytes; smaller changes of the environment have no effect.
const STEP: u64 = 16;
/// Size of a page in bytes; larger changes repeat the same offsets within a page.
const MOST: u64 = 4096;

/// A number of layouts drawn from a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layouts {
    pub count: u32,
    pub seed: u64,
    /// What differs between them.
    pub parts: Vec<LayoutPart>,
}

/// One memory layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub number: u32,
    /// Bytes added to the environment.
    pub environment: u64,
    /// Bytes added to the name of the program (`argv[0]`).
    pub argument: u64,
    /// Seed of the heap, if heaps are varied.
    pub heap: Option<u64>,
}

impl Layouts {
    /// The layout of a block.
    pub fn layout_of_block(&self, block: u32) -> Layout {
        let number = block % self.count.max(1);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ (u64::from(number) << 32));
        let environment = rng.next_u64() % (MOST / STEP) * STEP;
        // A name can only be lengthened by multiples of two bytes.
        let argument = rng.next_u64() % STEP * 2;
        let heap = rng.next_u64();
        let has = |part| self.parts.contains(&part);
        Layout {
            number,
            environment: if has(LayoutPart::Environment) { environment } else { 0 },
            argument: if has(LayoutPart::Name) { argument } else { 0 },
            heap: has(LayoutPart::Heap).then_some(heap),
        }
    }
}

impl Layout {
    /// Changes a job so that it has this layout. The heap is moved only if `shim` is given.
    pub fn apply(self, job: &mut Job, shim: Option<&HeapShim>) {
        job.fixed_addresses = true;
        job.environment.set(VARIABLE, "x".repeat(self.environment as usize));
        if let Some(name) = job.argv.first_mut() {
            *name = lengthen_path(name, self.argument as usize / 2);
        }
        if let (Some(shim), Some(seed)) = (shim, self.heap) {
            shim.preload(job, seed);
        }
    }
}

/// The same path, written longer: `/bin/true` becomes `/./bin/true`, `./run` becomes `././run`. A name without a slash,
/// which is searched in `PATH`, stays.
fn lengthen_path(path: &OsStr, times: usize) -> OsString {
    let bytes = path.as_bytes();
    let insert: &[u8] = match bytes.first() {
        Some(b'/') => b"/.",
        _ if bytes.contains(&b'/') => b"./",
        _ => return path.to_owned(),
    };
    OsString::from_vec([&insert.repeat(times), bytes].concat())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsStr;

    use lotse_host::{HeapShim, Job};
    use lotse_model::results::LayoutPart;

    use super::{Layouts, MOST, STEP, VARIABLE, lengthen_path};

    fn layouts(count: u32, seed: u64) -> Layouts {
        Layouts { count, seed, parts: LayoutPart::ALL.into() }
    }

    #[test]
    fn layouts_come_in_turn_and_can_be_repeated() {
        let drawn = layouts(10, 3);
        let all: Vec<_> = (0..30).map(|block| drawn.layout_of_block(block)).collect();
        assert_eq!(all[..10], all[10..20]);
        assert_eq!(all[7].number, 7);
        assert_ne!(all[..10], (0..10).map(|block| layouts(10, 4).layout_of_block(block)).collect::<Vec<_>>());
        assert!(all.iter().all(|it| it.environment % STEP == 0 && it.environment < MOST && it.argument < 32));
        let different: BTreeSet<u64> = all.iter().map(|it| it.environment).collect();
        assert!(different.len() >= 8, "{different:?}");
        let heaps: BTreeSet<Option<u64>> = all.iter().map(|it| it.heap).collect();
        assert_eq!(heaps.len(), 10);
    }

    /// Leaving a part out does not change what is drawn for the others.
    #[test]
    fn parts_can_be_left_out() {
        let all = layouts(10, 3).layout_of_block(4);
        for part in LayoutPart::ALL {
            let one = Layouts { parts: vec![part], ..layouts(10, 3) }.layout_of_block(4);
            let chosen = |it: LayoutPart, value: u64| if it == part { value } else { 0 };
            assert_eq!(one.environment, chosen(LayoutPart::Environment, all.environment));
            assert_eq!(one.argument, chosen(LayoutPart::Name, all.argument));
            assert_eq!(one.heap, all.heap.filter(|_| part == LayoutPart::Heap));
        }
    }

    #[test]
    fn all_offsets_within_a_cache_line_are_drawn() {
        let layouts = layouts(200, 1);
        let places: BTreeSet<u64> =
            (0..200).map(|block| layouts.layout_of_block(block).environment % 64).collect();
        assert_eq!(places, BTreeSet::from([0, 16, 32, 48]));
    }

    #[test]
    fn paths_stay_the_same_file() {
        let check =
            |path: &str, expected: &str| assert_eq!(lengthen_path(OsStr::new(path), 2), OsStr::new(expected));
        check("/bin/true", "/././bin/true");
        check("./run", "./././run");
        check("target/run", "././target/run");
        check("true", "true");
    }

    #[test]
    fn a_job_gets_its_layout() {
        let mut job = Job::new(["/bin/true", "x"]);
        let layout = layouts(5, 9).layout_of_block(2);
        let shim = HeapShim::install().unwrap();
        layout.apply(&mut job, Some(&shim));
        assert!(job.fixed_addresses);
        let value = job.environment.get(OsStr::new(VARIABLE)).unwrap();
        assert_eq!(value.len() as u64, layout.environment);
        assert_eq!(job.argv[0].len() as u64, 9 + layout.argument);
        assert_eq!(job.argv[1], "x");
        let seed = job.environment.get(OsStr::new("LOTSE_HEAP")).unwrap();
        assert_eq!(seed, OsStr::new(&format!("{:016x}", layout.heap.unwrap())));
    }
}
