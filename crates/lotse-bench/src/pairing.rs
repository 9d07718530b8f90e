//! From runs to pairs: which measurements of a block belong together.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{Levels, ResultSet, Status};
use lotse_stats::paired::{Block, PairedEstimate};
use lotse_stats::sequential::{Decision, Look, Plan, decide, decide_among};

use crate::shell_error::{self, ShellError};

/// The values of the program and of the reference in every block in which both runs were good, in block order. Blocks with
/// the same builds (or the same layout) are merged into one, since only builds or layouts are independent of each other:
///
/// ```text
/// layout        0     1     0     1
/// new / old    8/10  9/10  8/10  9/10   ->  two blocks: 8/10, 9/10
/// ```
pub(crate) fn blocks(set: &ResultSet, reference: ProgramId, program: ProgramId, metric: &str) -> Vec<Block> {
    merge_units(pairs(set, reference, program, metric))
}

/// The builds of the reference and of the program, or their layout where there is one build of each.
type DrawnLevels = [u32; 2];

/// The value, the position and the levels of one run of a block.
type Side = (f64, u32, Levels);

/// The pairs of all blocks, with their builds or layouts.
fn pairs(
    set: &ResultSet,
    reference: ProgramId,
    program: ProgramId,
    metric: &str,
) -> Vec<(DrawnLevels, Block)> {
    let has_builds = set.runs.iter().any(|run| run.levels.build > 0);
    let highest = |levels: Levels| if has_builds { levels.build } else { levels.layout };
    let pairs = levelled_pairs(set, reference, program, metric);
    pairs.into_iter().map(|(levels, block)| (levels.map(highest), block)).collect()
}

/// The pairs of all blocks, with the levels of the reference's and of the program's run.
pub(crate) fn levelled_pairs(
    set: &ResultSet,
    reference: ProgramId,
    program: ProgramId,
    metric: &str,
) -> Vec<([Levels; 2], Block)> {
    let mut by_block: BTreeMap<BlockId, [Option<Side>; 2]> = BTreeMap::new();
    for run in set.runs.iter().filter(|run| run.outcome.status == Status::Ok) {
        let side = if run.program == reference { 0 } else { 1 };
        if let Some(&value) = run.values.get(metric)
            && (side == 0 || run.program == program)
        {
            let sides = by_block.entry(run.block).or_default();
            sides[side] = Some((value, run.position, run.levels));
            if program == reference {
                // A single program is paired with itself.
                sides[1] = sides[0];
            }
        }
    }
    let pair = |sides: &[Option<Side>; 2]| {
        let (reference, reference_position, reference_levels) = sides[0]?;
        let (program, position, levels) = sides[1]?;
        let block = Block { program, reference, position: position_difference(position, reference_position) };
        Some(([reference_levels, levels], block))
    };
    by_block.values().filter_map(pair).collect()
}

/// Merges pairs with the same builds or layout into their mean. If there is only one build or layout, every block is kept.
fn merge_units(pairs: Vec<(DrawnLevels, Block)>) -> Vec<Block> {
    let drawn: BTreeSet<DrawnLevels> = pairs.iter().map(|(drawn, _)| *drawn).collect();
    if drawn.len() < 2 {
        return pairs.into_iter().map(|(_, block)| block).collect();
    }
    let mut groups: Vec<(DrawnLevels, Vec<Block>)> = Vec::new();
    for (drawn, block) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == drawn) {
            Some((_, blocks)) => blocks.push(block),
            None => groups.push((drawn, vec![block])),
        }
    }
    groups.into_iter().map(|(_, blocks)| mean_block(&blocks)).collect()
}

/// Geometric means of the values, so that the logarithm of their ratio is the mean of the logarithms of the ratios; arithmetic
/// means where a value is zero.
fn mean_block(blocks: &[Block]) -> Block {
    let mean =
        |value: &dyn Fn(&Block) -> f64| blocks.iter().map(value).sum::<f64>() / blocks.len().max(1) as f64;
    let positive = blocks.iter().all(|block| block.program > 0.0 && block.reference > 0.0);
    let centre = |side: &dyn Fn(&Block) -> f64| {
        if positive { mean(&|block| side(block).ln()).exp() } else { mean(side) }
    };
    let position = mean(&|block| f64::from(block.position)).round() as i32;
    Block { program: centre(&|block| block.program), reference: centre(&|block| block.reference), position }
}

/// By how many positions a run is later in its block than another; negative if it is earlier.
fn position_difference(position: u32, than: u32) -> i32 {
    let places = i64::from(position) - i64::from(than);
    places.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// A comparison under several candidate costs of the shell within the bounds of that cost.
#[derive(Debug, Clone)]
pub(crate) struct CostFamily {
    /// The estimate with the cost that was subtracted.
    pub(crate) estimate: PairedEstimate,
    /// The estimates with all candidate costs; `None` where the cost is not bounded or leaves no time.
    candidates: Option<Vec<PairedEstimate>>,
}

impl CostFamily {
    /// The decision of one look. Its interval is the union of the intervals under all candidate costs.
    pub(crate) fn decide(&self, plan: &Plan, look: Look) -> Decision {
        match self.candidates.as_deref() {
            Some([_]) => decide(plan, look, &self.estimate),
            candidates => decide_among(plan, look, candidates.unwrap_or(&[])),
        }
    }

    /// Whether the uncertain cost of the shell leaves the ratio without bounds.
    pub(crate) fn is_dominated(&self) -> bool {
        self.candidates.is_none()
    }
}

/// The paired comparison under all candidate costs of the shell; `None` without any pair.
pub(crate) fn family(
    set: &ResultSet,
    reference: ProgramId,
    program: ProgramId,
    metric: &str,
    shell: Option<&ShellError>,
) -> Option<CostFamily> {
    let blocks = blocks(set, reference, program, metric);
    let estimate = PairedEstimate::new(&blocks).ok()?;
    let bounds = shell.and_then(|shell| shell.bounds(metric));
    let candidates = match bounds {
        None => Some(vec![estimate.clone()]),
        bounds => shell_error::candidates(bounds)
            .and_then(|errors| errors.into_iter().map(|error| with_cost_error(&blocks, error)).collect()),
    };
    Some(CostFamily { estimate, candidates })
}

/// The comparison with `error` subtracted from all values; `None` if a value does not stay positive.
fn with_cost_error(blocks: &[Block], error: f64) -> Option<PairedEstimate> {
    let shift = |block: &Block| Block {
        program: block.program - error,
        reference: block.reference - error,
        ..*block
    };
    // A value of 0 was clamped when the cost was subtracted, so the time of the program is not known.
    let known = blocks.iter().flat_map(|block| [block.program, block.reference]);
    if known.into_iter().any(|value| value <= 0.0 || value - error <= 0.0) {
        return None;
    }
    PairedEstimate::new(&blocks.iter().map(shift).collect::<Vec<_>>()).ok()
}

/// A single program against its own median, which shows how precisely its centre is known. An error of the shell's cost shifts
/// the values of the program, but not the median.
pub(crate) fn own_centre(
    set: &ResultSet,
    program: ProgramId,
    metric: &str,
    shell: Option<&ShellError>,
) -> Option<CostFamily> {
    let values = unit_values(set, program, metric);
    let centre = lotse_stats::descriptive::median(&values).ok()?;
    let against_centre = |error: f64| {
        let block = |&value: &f64| Block { program: value - error, reference: centre, position: 0 };
        PairedEstimate::new(&values.iter().map(block).collect::<Vec<_>>()).ok()
    };
    let bounds = shell.and_then(|shell| shell.bounds(metric));
    let positive = |error: &f64| values.iter().all(|value| *value > 0.0 && value - error > 0.0);
    let errors = shell_error::candidates(bounds);
    let errors = errors.filter(|errors| bounds.is_none() || errors.iter().all(positive));
    let candidates = errors.and_then(|errors| errors.into_iter().map(against_centre).collect());
    Some(CostFamily { estimate: against_centre(0.0)?, candidates })
}

/// The values of a program: one mean for each build or layout if several were drawn, else all values.
fn unit_values(set: &ResultSet, program: ProgramId, metric: &str) -> Vec<f64> {
    let pairs = pairs(set, program, program, metric);
    merge_units(pairs).into_iter().map(|unit| unit.reference).collect()
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{BlockId, ProgramId};
    use lotse_model::results::{Disturbance, Levels, Outcome, ResultSet, Run, Status};

    use super::blocks;

    fn run(program: u32, block: u32, position: u32, status: Status, wall: f64) -> Run {
        Run {
            program: ProgramId(program),
            block: BlockId(block),
            position,
            levels: Levels::default(),
            outcome: Outcome { status, ..Outcome::ok() },
            disturbance: Disturbance::default(),
            values: [("wall".to_owned(), wall)].into(),
            within: Default::default(),
        }
    }

    #[test]
    fn only_blocks_with_two_good_runs_make_a_pair() {
        let runs = vec![
            run(0, 0, 0, Status::Ok, 1.0),
            run(1, 0, 1, Status::Ok, 2.0),
            run(1, 1, 0, Status::Ok, 3.0),
            run(0, 1, 1, Status::Failed, 4.0),
            run(1, 2, 0, Status::Ok, 5.0),
            run(2, 2, 1, Status::Ok, 9.0),
            run(0, 2, 2, Status::Ok, 6.0),
        ];
        let set = ResultSet { runs, ..ResultSet::default() };
        let pairs = blocks(&set, ProgramId(0), ProgramId(1), "wall");
        let seen: Vec<_> = pairs.iter().map(|pair| (pair.program, pair.reference, pair.position)).collect();
        assert_eq!(seen, [(2.0, 1.0, 1), (5.0, 6.0, -2)]);
    }
}
