//! Memory layouts of runs.
//!
//! Where the stack begins depends on the size of the environment and of the arguments, and the speed of some programs depends
//! on where the stack begins: by half and more, for reasons that have nothing to do with the program. A layout sets both
//! from the seed, with addresses that the kernel does not draw, so that it can be repeated. It also has a seed for the heap, which
//! a shared object moves that the program loads (`lotse_host::HeapShim`). All programs of a block have the same layout, and
//! blocks go through the layouts in turn.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use lotse_host::{HeapShim, Job};
use lotse_model::results::LayoutPart;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The variable whose length a layout chooses.
pub const VARIABLE: &str = "LOTSE_LAYOUT";

/// Stacks begin at multiples of this, so that fewer bytes change nothing.
const STEP: u64 = 16;
/// As many bytes as a page has: beyond it, places repeat.
const MOST: u64 = 4096;

/// So many layouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layouts {
    /// How many there are.
    pub count: u32,
    /// What they are drawn from.
    pub seed: u64,
    /// What differs between them.
    pub parts: Vec<LayoutPart>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Its number.
    pub number: u32,
    /// Bytes that the environment is larger by.
    pub environment: u64,
    /// Bytes that the name of the program is longer by.
    pub argument: u64,
    /// What the places of blocks are drawn from, where heaps differ.
    pub heap: Option<u64>,
}

impl Layouts {
    /// The layout of a block.
    pub fn layout_of_block(&self, block: u32) -> Layout {
        let number = block % self.count.max(1);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ (u64::from(number) << 32));
        let environment = rng.next_u64() % (MOST / STEP) * STEP;
        // A name grows by two bytes at a time.
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
    /// Changes a job so that it has this layout; the heap only with what moves it.
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

/// The same path, written longer: `/bin/true` becomes `/./bin/true`, `./run` becomes `././run`. A name that is looked for in `PATH`
/// stays.
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

    use super::{Layouts, MOST, STEP, VARIABLE, longer};

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

    /// What is left out does not change what is drawn for the rest.
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
    fn all_places_of_a_line_are_reached() {
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
        let shim = HeapShim::place().unwrap();
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
