//! Traces that grow in one direction only: many requests in one call, many members of one collective, many threads at
//! one lock. An analysis of them has to take time in proportion to their size.

use std::path::Path;

use crate::error::Error;

mod collectives;
mod messages;
mod paths;
mod sketch;
mod threads;

pub use sketch::Sketch;

/// A trace that can be made of any size.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// What it is called.
    pub name: &'static str,
    /// What there is more and more of.
    pub unit: &'static str,
    /// How many of them a large trace has.
    pub large: u64,
    /// How many of them a trace has that tests can afford: so many that a search through all of them for each would
    /// take longer than everything else.
    pub small: u64,
    /// Makes a trace with so many.
    pub sketch: fn(u64) -> Sketch,
}

impl Growth {
    /// All of them.
    pub const ALL: [&'static [Self]; 4] =
        [messages::GROWTHS, collectives::GROWTHS, paths::GROWTHS, threads::GROWTHS];

    /// All of them, one after the other.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().flatten().copied()
    }

    /// Writes a trace with so many of the unit into a folder; gives its anchor file.
    pub fn write(&self, count: u64, folder: &Path) -> Result<std::path::PathBuf, Error> {
        (self.sketch)(count).write(folder).map_err(Error::file("write a trace into", folder))
    }
}

#[cfg(test)]
mod tests;
