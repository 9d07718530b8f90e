//! Memory layouts of runs.
//!
//! Where the stack begins depends on the size of the environment and of the arguments, and the speed of some programs depends
//! on where the stack begins: by half and more, for reasons that have nothing to do with the program. A layout sets both
//! from the seed, with addresses that the kernel does not draw, so that it can be repeated. All programs of a block have
//! the same layout, and blocks go through the layouts in turn.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use lotse_host::Job;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The variable whose length a layout chooses.
pub const VARIABLE: &str = "LOTSE_LAYOUT";

/// Stacks begin at multiples of this, so that fewer bytes change nothing.
const STEP: u64 = 16;
/// As many bytes as a page has: beyond it, places repeat.
const MOST: u64 = 4096;

/// So many layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layouts {
    /// How many there are.
    pub count: u32,
    /// What they are drawn from.
    pub seed: u64,
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
}

impl Layouts {
    /// The layout of a block.
    pub fn of_block(self, block: u32) -> Layout {
        let number = block % self.count.max(1);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ (u64::from(number) << 32));
        let environment = rng.next_u64() % (MOST / STEP) * STEP;
        // A name grows by two bytes at a time.
        let argument = rng.next_u64() % STEP * 2;
        Layout { number, environment, argument }
    }
}

impl Layout {
    /// Changes a job so that it has this layout.
    pub fn apply(self, job: &mut Job) {
        job.fixed_addresses = true;
        job.environment.set(VARIABLE, "x".repeat(self.environment as usize));
        if let Some(name) = job.argv.first_mut() {
            *name = longer(name, self.argument as usize / 2);
        }
    }
}

/// The same path, written longer: `/bin/true` becomes `/./bin/true`, `./run` becomes `././run`. A name that is looked for in `PATH`
/// stays.
fn longer(path: &OsStr, times: usize) -> OsString {
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

    use lotse_host::Job;

    use super::{Layouts, MOST, STEP, VARIABLE, longer};

    #[test]
    fn layouts_come_in_turn_and_can_be_repeated() {
        let layouts = Layouts { count: 10, seed: 3 };
        let all: Vec<_> = (0..30).map(|block| layouts.of_block(block)).collect();
        assert_eq!(all[..10], all[10..20]);
        assert_eq!(all[7].number, 7);
        assert_ne!(
            all[..10],
            (0..10).map(|block| Layouts { seed: 4, ..layouts }.of_block(block)).collect::<Vec<_>>()
        );
        assert!(all.iter().all(|it| it.environment % STEP == 0 && it.environment < MOST && it.argument < 32));
        let different: BTreeSet<u64> = all.iter().map(|it| it.environment).collect();
        assert!(different.len() >= 8, "{different:?}");
    }

    #[test]
    fn all_places_of_a_line_are_reached() {
        let layouts = Layouts { count: 200, seed: 1 };
        let places: BTreeSet<u64> = (0..200).map(|block| layouts.of_block(block).environment % 64).collect();
        assert_eq!(places, BTreeSet::from([0, 16, 32, 48]));
    }

    #[test]
    fn paths_stay_the_same_file() {
        let check =
            |path: &str, expected: &str| assert_eq!(longer(OsStr::new(path), 2), OsStr::new(expected));
        check("/bin/true", "/././bin/true");
        check("./run", "./././run");
        check("target/run", "././target/run");
        check("true", "true");
    }

    #[test]
    fn a_job_gets_its_layout() {
        let mut job = Job::new(["/bin/true", "x"]);
        let layout = Layouts { count: 5, seed: 9 }.of_block(2);
        layout.apply(&mut job);
        assert!(job.fixed_addresses);
        let value = job.environment.get(OsStr::new(VARIABLE)).unwrap();
        assert_eq!(value.len() as u64, layout.environment);
        assert_eq!(job.argv[0].len() as u64, 9 + layout.argument);
        assert_eq!(job.argv[1], "x");
    }
}
