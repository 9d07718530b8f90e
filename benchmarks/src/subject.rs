//! The measured programs: their C sources, and a pair of byte-identical copies to compare.

use std::path::PathBuf;

use crate::error::Error;
use crate::workshop::Workshop;

/// A chain of integer steps, as many as the argument says.
pub const WORK: &str = include_str!("../programs/work.c");
/// The same with 70 to 130 % of the steps.
pub const NOISY: &str = include_str!("../programs/noisy.c");
/// Ends at once, without a C library.
const EMPTY: &str = include_str!("../programs/empty.c");
/// Ends at once, with the C library.
const EMPTY_LIBC: &str = include_str!("../programs/empty_libc.c");
/// `posix_spawn` and `wait4` in a loop.
pub const SPAWN: &str = include_str!("../programs/spawn.c");
/// Keeps a CPU busy.
pub const BUSY: &str = include_str!("../programs/busy.c");

/// Two byte-identical programs whose names are equally long, so that neither their bytes nor the size of
/// their arguments differ.
#[derive(Debug)]
pub struct Twins {
    pub original: PathBuf,
}

const ORIGINAL: &str = "subject-a";
const COPY: &str = "subject-b";

impl Twins {
    /// Builds the original and copies it.
    pub fn build(workshop: &mut Workshop, source: &str) -> Result<Self, Error> {
        let original = workshop.compile(ORIGINAL, source, &[])?;
        workshop.copy(&original, COPY)?;
        Ok(Self { original })
    }

    /// The commands of both, run in the workshop's folder: first the original, then the copy.
    pub fn commands(steps_of_original: u64, steps_of_copy: u64) -> [String; 2] {
        [command(ORIGINAL, steps_of_original), command(COPY, steps_of_copy)]
    }
}

/// A command line; numbers of steps are padded to equal length.
fn command(name: &str, steps: u64) -> String {
    format!("./{name} {steps:012}")
}

/// The empty programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Empty {
    /// Its name in the workshop.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    source: &'static str,
    flags: &'static [&'static str],
}

/// With the C library linked in, as most static programs are; and without, the least that can be run.
pub const EMPTIES: [Empty; 2] = [
    Empty { name: "static", description: "an empty static program", source: EMPTY_LIBC, flags: &["-static"] },
    Empty {
        name: "nolibc",
        description: "an empty static program without a C library",
        source: EMPTY,
        flags: &["-static", "-nostdlib"],
    },
];

impl Empty {
    /// Builds it.
    pub fn build(&self, workshop: &mut Workshop) -> Result<PathBuf, Error> {
        workshop.compile(self.name, self.source, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::Twins;

    #[test]
    fn commands_are_equally_long() {
        let [original, copy] = Twins::commands(7, 20_100_000);
        assert_eq!(original, "./subject-a 000000000007");
        assert_eq!(copy.len(), original.len());
    }
}
