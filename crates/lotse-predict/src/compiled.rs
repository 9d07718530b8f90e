//! The compiled code of source loops: instructions, matched with the source by line.
//!
//! ```text
//! binary ──> loops of machine code ──> innermost ones, each with the lines of its instructions
//!                                           │ matched by lines, and by the bytes that addresses move in a pass
//!                                           ▼
//! loop of the source ──────────────> CompiledMatch: instructions of one pass, iterations of the source per pass
//!                                           │
//!                         occupancy of execution units, and the longest dependence through registers and memory
//! ```
//!
//! A *pass* is one trip through the machine loop; it executes several iterations of the source loop if the loop is vectorised or
//! unrolled. A source loop may become several machine loops: a main loop that executes many iterations per pass, and remainder
//! loops. The one with most iterations per pass is used. If none matches, the reason is reported and the loop is predicted from
//! its source.

mod matching;
mod recurrence;
mod values;
mod work;

use lotse_symbols::{Binary, Flow, InlineFrame, Operation, SymbolError, loops, without_hash};

pub(crate) use matching::{AccessedBytes, CompiledMatch, LoopSignature};
pub(crate) use work::UnitOccupancy;

/// The compiled loops of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The compiler's command, or the file, as the user gave it.
    pub name: String,
    loops: Vec<MachineLoop>,
}

/// An innermost loop of machine code.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MachineLoop {
    /// Address of the first instruction.
    pub(crate) header: u64,
    pub(crate) instructions: Vec<MachineInstruction>,
}

/// An instruction of a loop.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MachineInstruction {
    pub(crate) operation: Operation,
    /// Whether every pass executes it.
    pub(crate) always: bool,
    /// Functions and lines of the source that it belongs to: its own and, if it was inlined, those of the callers.
    pub(crate) lines: Vec<(String, u32)>,
}

impl MachineLoop {
    /// The position of the instruction at an address.
    fn position(&self, address: u64) -> Option<usize> {
        self.instructions.binary_search_by_key(&address, |it| it.operation.address).ok()
    }

    /// The instructions of one pass in which conditional jumps are not taken, except for the jump back to the header. Code that a
    /// taken jump would skip is thus included.
    fn pass(&self) -> Vec<&MachineInstruction> {
        let mut path = Vec::new();
        let mut at = self.position(self.header);
        while let Some(index) = at.filter(|_| path.len() < self.instructions.len()) {
            let instruction = &self.instructions[index];
            path.push(instruction);
            let operation = &instruction.operation;
            let next = self.position(operation.address + u64::from(operation.length));
            at = match operation.flow {
                Flow::Jump { target: Some(target), conditional } => match next.filter(|_| conditional) {
                    Some(next) if target != self.header => Some(next),
                    _ => self.position(target),
                },
                _ => next,
            };
            if at.is_some_and(|next| self.instructions[next].operation.address == self.header) {
                return path;
            }
        }
        // No path back to the header was found: use the instructions that every pass executes.
        self.instructions.iter().filter(|it| it.always).collect()
    }

    /// Number of conditional jumps within the loop, which depend on data. Jumps out of the loop, such as those of bounds checks, do
    /// not count, because they are taken at most once.
    fn conditions(&self) -> usize {
        let inside = |address: u64| self.position(address).is_some();
        let decides = |operation: &Operation| match operation.flow {
            Flow::Jump { target: Some(target), conditional: true } => {
                let next = operation.address + u64::from(operation.length);
                target != self.header && inside(target) && inside(next)
            }
            _ => false,
        };
        self.instructions.iter().filter(|it| decides(&it.operation)).count()
    }
}

impl Compiled {
    /// The innermost loops of a binary that belong to the source file of this name.
    pub fn new(name: &str, binary: &Binary<'_>, file: &str) -> Result<Self, SymbolError> {
        let mut found = Vec::new();
        for function in binary.symbols().filter(|function| function.size > 0) {
            let operations = binary.operations(function.range())?;
            for inner in loops(&operations).into_iter().filter(|it| it.is_innermost) {
                let instruction = |(&position, &always): (&usize, &bool)| {
                    let operation = operations[position].clone();
                    let lines = lines(binary, operation.address, file);
                    MachineInstruction { operation, always, lines }
                };
                let instructions: Vec<_> =
                    inner.operations.iter().zip(&inner.always).map(instruction).collect();
                if instructions.iter().any(|it| !it.lines.is_empty()) {
                    found.push(MachineLoop { header: inner.header, instructions });
                }
            }
        }
        Ok(Self { name: name.to_owned(), loops: found })
    }

    /// Whether the binary has no loop of the source.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }
}

/// The functions and lines in `file` that an address belongs to.
fn lines(binary: &Binary<'_>, address: u64, file: &str) -> Vec<(String, u32)> {
    let base = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let own = base(file);
    let frames = binary.resolve(address).frames;
    let in_file = frames.iter().filter(|frame| frame.file.as_deref().is_some_and(|path| base(path) == own));
    let place = |frame: &InlineFrame| Some((plain(frame.function.as_deref()?), frame.line?));
    in_file.filter_map(place).collect()
}

/// The name of a function without modules, type arguments and parameter types.
fn plain(name: &str) -> String {
    let whole = without_hash(name);
    let name = whole.as_ref();
    let name = name.split_once('<').map_or(name, |(before, _)| before.trim_end_matches("::"));
    let name = name.split_once('(').map_or(name, |(before, _)| before);
    let name = name.rsplit("::").next().unwrap_or(name);
    // The suffix of a copy specialised for known arguments: `solve.constprop.0`.
    name.split_once('.').map_or(name, |(before, _)| before).to_owned()
}

#[cfg(test)]
mod tests;
