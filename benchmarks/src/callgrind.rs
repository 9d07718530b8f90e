//! Generates callgrind files of any size in valgrind's format, together with the expected figures.
//!
//! Guarantees: the same [`Size`] gives the same bytes. Costs are consistent: the inclusive cost of a function is its self cost plus
//! that of its calls, and the root's inclusive cost is the total. The [`Answer`] is computed from the graph, never read back from
//! the file. Some functions call themselves and some small groups call each other in a ring; calls within a group are not
//! added to inclusive costs, they only give lower bounds for members of rings.
//!
//! Memory grows with functions and calls, not with cost lines: these are generated twice, once for the sums and once for writing.

mod answer;
mod costs;
mod graph;
mod lines;
mod names;
mod numbers;
mod writer;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use answer::{Answer, Function, fingerprint};
use costs::Costs;
use graph::Graph;
use lines::Program;

use crate::error::Error;

/// The event types of valgrind's cache simulation, in its order.
pub const EVENTS: [&str; 9] = ["Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw"];

/// A cost for each event type.
pub type Cost = [u64; EVENTS.len()];

/// How large a file shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub functions: u32,
    /// Distinct pairs of caller and callee. Fewer if there are hardly as many pairs.
    pub edges: u32,
    /// Lines with self cost.
    pub cost_lines: u64,
    /// Rings of two to five functions that call each other.
    pub cycles: u32,
    /// Functions that call themselves.
    pub recursive: u32,
    pub seed: u64,
}

impl Size {
    /// The file that loading is measured on: about 550 MB.
    pub const LARGE: Self = Self {
        functions: 200_000,
        edges: 2_000_000,
        cost_lines: 20_000_000,
        cycles: 50,
        recursive: 200,
        seed: 1,
    };
}

/// Generates the file, unless it and its answer exist already.
pub fn file(path: &Path, size: Size) -> Result<Answer, Error> {
    if let Some(answer) = Answer::beside(path)?.filter(|it| it.size == size && it.bytes == length(path)) {
        return Ok(answer);
    }
    let partial = with_suffix(path, ".partial");
    let made = File::create(&partial).and_then(|file| {
        let mut output = BufWriter::with_capacity(1 << 20, file);
        let answer = generate(size, &mut output)?;
        output.flush()?;
        Ok(answer)
    });
    let answer = made.map_err(Error::file("write", &partial))?;
    fs::rename(&partial, path).map_err(Error::file("write", path))?;
    answer.write_beside(path)?;
    Ok(answer)
}

/// Writes a file of a size. Returns the figures that a reader must find in it.
pub fn generate(size: Size, output: &mut impl Write) -> io::Result<Answer> {
    let program = Program::new(size);
    let graph = Graph::new(size);
    let costs = Costs::new(&program, &graph);
    let bytes = writer::write(&program, &graph, &costs, output)?;
    Ok(answer::compute(&program, &graph, &costs, bytes))
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |it| it.len())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests;
