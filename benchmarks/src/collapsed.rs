//! Makes deep collapsed stacks, with the templated names of C++ or with short ones, and knows what is in them.
//!
//! Promises: the same [`Stacks`] give the same bytes; the [`Answer`] is summed up from the stacks as they are drawn,
//! never read back. A stack keeps most of the frames of the one before it, as in a file that is sorted, and a function
//! calls one of a few others, so that many stacks share their beginning and some functions call themselves.

mod names;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::callgrind::fingerprint;
use crate::dice::Dice;
use crate::error::Error;

/// How large a file shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stacks {
    /// Lines.
    pub lines: u32,
    /// Functions to choose from.
    pub functions: u32,
    /// Whether names are nested templates of C++, else a word and a number.
    pub templated: bool,
    /// Of all random choices.
    pub seed: u64,
}

impl Stacks {
    /// Long names: 54 MB, where bytes count.
    pub const TEMPLATED: Self = Self { lines: 2780, functions: 4000, templated: true, seed: 1 };
    /// Short names: 54 MB, where frames count.
    pub const SHORT: Self = Self { lines: 30_000, functions: 4000, templated: false, seed: 1 };
}

/// What a reader must find in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answer {
    /// All weights.
    pub total: u64,
    /// How many functions occur.
    pub function_count: u64,
    /// [`fingerprint`] of all functions, added up.
    pub fingerprint: u64,
}

/// Frames of a stack, at least and at most.
const DEPTHS: (u64, u64) = (60, 120);
/// A stack leaves up to this many frames of the one before it.
const LEFT: u64 = 40;
/// A function calls one of so many.
const CALLEES: u64 = 6;

/// Makes the file, which takes about a second, unless one of that length is there.
pub fn file(path: &Path, stacks: Stacks) -> Result<Answer, Error> {
    let mut length = Length(0);
    let answer = generate(stacks, &mut length).map_err(Error::file("write", path))?;
    if fs::metadata(path).is_ok_and(|it| it.len() == length.0) {
        return Ok(answer);
    }
    let made = File::create(path).and_then(|file| {
        let mut output = BufWriter::with_capacity(1 << 20, file);
        generate(stacks, &mut output)?;
        output.flush()
    });
    made.map_err(Error::file("write", path))?;
    Ok(answer)
}

/// Counts what is written.
struct Length(u64);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the stacks; gives back what a reader must find in them.
pub fn generate(stacks: Stacks, output: &mut impl Write) -> io::Result<Answer> {
    let names: Vec<String> = (0..stacks.functions).map(|it| names::function(stacks, it)).collect();
    let mut dice = Dice::new(stacks.seed, "stacks", 0);
    let mut stack = vec![0];
    let mut sums = Sums::default();
    for _ in 0..stacks.lines {
        grow(&mut stack, stacks, &mut dice);
        let weight = 1 + dice.skewed(6);
        sums.add(&stack, weight);
        for (at, &function) in stack.iter().enumerate() {
            let end: &[u8] = if at + 1 < stack.len() { b";" } else { b" " };
            output.write_all(names[function as usize].as_bytes())?;
            output.write_all(end)?;
        }
        writeln!(output, "{weight}")?;
    }
    Ok(sums.answer(&names))
}

/// The next stack: leaves some frames and calls others.
fn grow(stack: &mut Vec<u32>, stacks: Stacks, dice: &mut Dice) {
    let depth = (DEPTHS.0 + dice.below(DEPTHS.1 - DEPTHS.0 + 1)) as usize;
    let kept = stack.len().saturating_sub(1 + dice.rather_small(LEFT) as usize);
    stack.truncate(kept.clamp(1, depth - 1));
    while stack.len() < depth {
        let caller = stack.last().copied().unwrap_or(0);
        let choice = dice.rather_small(CALLEES);
        let others = u64::from(stacks.functions).saturating_sub(1);
        let callee = Dice::new(stacks.seed, "callee", u64::from(caller) * CALLEES + choice).below(others);
        stack.push(1 + callee as u32);
    }
}

/// Self and inclusive cost by function; recursion counts once.
#[derive(Debug, Default)]
struct Sums {
    total: u64,
    costs: HashMap<u32, (u64, u64)>,
}

impl Sums {
    fn add(&mut self, stack: &[u32], weight: u64) {
        self.total += weight;
        for (at, &function) in stack.iter().enumerate() {
            let cost = self.costs.entry(function).or_default();
            cost.0 += if at + 1 == stack.len() { weight } else { 0 };
            cost.1 += if stack[..at].contains(&function) { 0 } else { weight };
        }
    }

    fn answer(&self, names: &[String]) -> Answer {
        let prints = self.costs.iter();
        let prints =
            prints.map(|(function, cost)| fingerprint(&names[*function as usize], &[cost.0], &[cost.1]));
        Answer {
            total: self.total,
            function_count: self.costs.len() as u64,
            fingerprint: prints.fold(0, u64::wrapping_add),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::{Answer, Stacks, fingerprint, generate};

    /// Reads the text with nothing but `split`.
    #[test]
    fn the_answer_is_what_the_text_says() {
        let stacks = Stacks { lines: 50, functions: 80, templated: true, seed: 3 };
        let mut bytes = Vec::new();
        let answer = generate(stacks, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut costs: HashMap<&str, (u64, u64)> = HashMap::new();
        let mut total = 0;
        for line in text.lines() {
            let (stack, weight) = line.rsplit_once(' ').unwrap();
            let weight: u64 = weight.parse().unwrap();
            total += weight;
            assert!((60..=120).contains(&stack.split(';').count()));
            costs.entry(stack.rsplit(';').next().unwrap()).or_default().0 += weight;
            for name in stack.split(';').collect::<HashSet<_>>() {
                costs.entry(name).or_default().1 += weight;
            }
        }
        let prints = costs.iter().map(|(name, cost)| fingerprint(name, &[cost.0], &[cost.1]));
        let expected = Answer {
            total,
            function_count: costs.len() as u64,
            fingerprint: prints.fold(0, u64::wrapping_add),
        };
        assert_eq!((text.lines().count(), answer), (50, expected));
    }
}
