//! Makes callgrind files of any size, as valgrind writes them, and knows what is in them.
//!
//! Promises: the same [`Size`] gives the same bytes; costs are consistent, so that a function's inclusive cost is
//! its self cost and that of its calls, down from one root that has everything; the [`Answer`] is computed from
//! what the graph is made of, never read back from the file. Some functions call themselves and some small
//! groups call each other in a ring: calls within a group count for nobody's inclusive cost.
//!
//! The memory needed grows with functions and calls, not with cost lines: these are drawn twice, once for the
//! sums and once to be written.

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
    /// Functions.
    pub functions: u32,
    /// Distinct pairs of caller and callee. Fewer if there are hardly as many pairs.
    pub edges: u32,
    /// Lines with self cost.
    pub cost_lines: u64,
    /// Rings of two to five functions that call each other.
    pub cycles: u32,
    /// Functions that call themselves.
    pub recursive: u32,
    /// Of all random choices.
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

/// Makes the file unless it is there already with its answer beside it.
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

/// Writes a file of that size; gives back what a reader must find in it.
pub fn generate(size: Size, output: &mut impl Write) -> io::Result<Answer> {
    let program = Program::new(size);
    let graph = Graph::new(size);
    let costs = Costs::new(&program, &graph);
    let bytes = writer::write(&program, &graph, &costs, output)?;
    Ok(answer::of(&program, &graph, &costs, bytes))
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
