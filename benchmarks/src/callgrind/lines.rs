//! The cost lines of each function: which source line, how much.

use super::{Cost, Size};
use crate::dice::Dice;

/// The self costs of all functions, line by line.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) size: Size,
    /// Number of cost lines of each function.
    lengths: Vec<u32>,
}

/// A cost line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CostLine {
    /// Line number in the source.
    pub(super) number: u32,
    /// Whether the code is inlined from another file.
    pub(super) inlined: bool,
    pub(super) cost: Cost,
}

impl Program {
    pub(super) fn new(size: Size) -> Self {
        Self { size, lengths: lengths(size) }
    }

    /// How many cost lines a function has.
    pub(super) fn length(&self, function: u32) -> u32 {
        self.lengths[function as usize]
    }

    /// The cost lines of a function, the same each time.
    pub(super) fn lines(&self, function: u32) -> impl Iterator<Item = CostLine> {
        let mut dice = Dice::new(self.size.seed, "lines", u64::from(function));
        let mut number = 1 + dice.below(3000) as u32;
        let bits = if dice.once_in(500) { 28 } else { 18 };
        let runs = 1 << dice.below(bits);
        let mut inlined = 0_u64;
        (0..self.length(function)).map(move |_| {
            inlined = match inlined {
                0 if dice.once_in(24) => 1 + dice.below(6),
                more => more.saturating_sub(1),
            };
            number = next_line(number, &mut dice);
            CostLine { number, inlined: inlined > 0, cost: cost(runs, &mut dice) }
        })
    }
}

/// The number of lines of each function: at least one; some have very many.
fn lengths(size: Size) -> Vec<u32> {
    let mut dice = Dice::new(size.seed, "lengths", 0);
    let weights: Vec<u64> = (0..size.functions).map(|_| 8 + dice.skewed(9)).collect();
    let whole: u64 = weights.iter().sum();
    let spare = size.cost_lines.saturating_sub(u64::from(size.functions));
    let mut lengths: Vec<u32> =
        weights.iter().map(|weight| 1 + (weight * spare / whole.max(1)) as u32).collect();
    let rest = spare - lengths.iter().map(|it| u64::from(*it) - 1).sum::<u64>();
    // Rounding loses less than one line per function.
    lengths.iter_mut().take(rest as usize).for_each(|it| *it += 1);
    lengths
}

/// The next line: mostly a few lines further, often backwards, sometimes far away.
fn next_line(number: u32, dice: &mut Dice) -> u32 {
    match dice.below(64) {
        0 => 1 + dice.below(6000) as u32,
        1..6 => number,
        6..20 => number.saturating_sub(1 + dice.below(12) as u32).max(1),
        _ => number + 1 + dice.below(9) as u32,
    }
}

/// A random cost with plausible ratios of instructions, accesses and misses.
fn cost(runs: u64, dice: &mut Dice) -> Cost {
    let runs = 1 + dice.below(runs);
    let bits = dice.number();
    let misses = |dice: &mut Dice, accesses: u64| dice.rather_small(accesses / 4 + 2).min(accesses);
    let mut cost = [0; 9];
    cost[0] = runs * (1 + (bits & 7));
    if bits >> 3 & 3 != 0 {
        cost[1] = runs * (1 + (bits >> 5 & 1));
    }
    if bits >> 6 & 1 == 0 {
        cost[2] = runs;
    }
    if bits >> 7 & 7 == 0 {
        cost[3] = 1 + (bits >> 11 & 1);
        cost[6] = bits >> 12 & 1;
    }
    if bits >> 13 & 1 == 0 {
        cost[4] = misses(dice, cost[1]);
        cost[5] = misses(dice, cost[2]);
    }
    if bits >> 16 & 3 == 0 {
        cost[7] = misses(dice, cost[4]);
        cost[8] = misses(dice, cost[5]);
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::{Program, Size};

    const SIZE: Size = Size { functions: 50, edges: 0, cost_lines: 1234, cycles: 0, recursive: 0, seed: 4 };

    #[test]
    fn there_are_as_many_lines_as_asked_for() {
        let program = Program::new(SIZE);
        let lines: usize = (0..50).map(|function| program.lines(function).count()).sum();
        assert_eq!(lines, 1234);
        assert!((0..50).all(|function| program.length(function) > 0));
    }

    #[test]
    fn lines_are_the_same_each_time() {
        let program = Program::new(SIZE);
        assert!(program.lines(7).eq(program.lines(7)));
        assert!(!program.lines(7).eq(program.lines(8)));
    }

    /// No cache misses without an access.
    #[test]
    fn costs_are_possible() {
        let program = Program::new(SIZE);
        for line in (0..50).flat_map(|function| program.lines(function)) {
            let [ir, dr, dw, i1, d1r, d1w, il, dlr, dlw] = line.cost;
            assert!(ir > 0 && line.number > 0);
            assert!(d1r <= dr && d1w <= dw && il <= i1 && dlr <= d1r && dlw <= d1w, "{line:?}");
        }
    }
}
