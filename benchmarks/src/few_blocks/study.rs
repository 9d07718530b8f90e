//! Many simulated trials of one length, judged by all rules at once.

use lotse_stats::StatsError;
use lotse_stats::distribution::t_quantile;
use lotse_stats::paired::{Block, PairedEstimate};
use lotse_stats::sequential::{Look, Plan, Trial};

use super::noise::Noise;
use super::rule::Rule;
use crate::dice::Dice;

/// The results of one rule over all trials.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Trials in which any look claimed a difference.
    pub claimed: u32,
    /// Trials whose last look claimed a difference.
    pub claimed_last: u32,
    /// Widths of the last interval, if bounded, relative to the paired t interval without interim looks.
    pub widths: Vec<f64>,
}

/// Trials of some length.
pub struct Study<'a> {
    rules: &'a [Rule],
    looks_at: Vec<usize>,
    /// The looks of each rule.
    looks: Vec<Vec<Look>>,
}

impl<'a> Study<'a> {
    /// Trials of at most so many blocks, looked at when `lotse bench --max-runs` does, and judged by some rules.
    pub fn new(rules: &'a [Rule], most: usize) -> Result<Self, StatsError> {
        let looks_at = looks_at(most);
        let looks_of = |rule: &Rule| {
            let mut trial = Trial::new(Plan { spending: rule.spending, ..Plan::default() }, 1)?;
            let look = |&blocks: &usize| Ok(trial.look(blocks as f64 / most as f64, blocks)?[0]);
            looks_at.iter().map(look).collect::<Result<Vec<Look>, StatsError>>()
        };
        let looks = rules.iter().map(looks_of).collect::<Result<_, _>>()?;
        Ok(Self { rules, looks_at, looks })
    }

    /// Simulates trials with a true log ratio; one outcome for each rule.
    pub fn run(&self, noise: Noise, theta: f64, trials: u32) -> Result<Vec<Outcome>, StatsError> {
        let mut outcomes = vec![Outcome::default(); self.rules.len()];
        let most = self.looks_at.last().copied().unwrap_or(0);
        for trial in 0..trials {
            let mut dice = Dice::new(most as u64, noise.name(), u64::from(trial));
            self.judge(&noise.blocks(&mut dice, most, theta), &mut outcomes)?;
        }
        Ok(outcomes)
    }

    fn judge(&self, blocks: &[Block], outcomes: &mut [Outcome]) -> Result<(), StatsError> {
        let mut claimed = vec![false; self.rules.len()];
        for (at, &seen) in self.looks_at.iter().enumerate() {
            let last = at + 1 == self.looks_at.len();
            let estimate = PairedEstimate::new(&blocks[..seen])?;
            for (index, rule) in self.rules.iter().enumerate() {
                let p = self.looks[index][at].nominal_p;
                if p <= 0.0 || (claimed[index] && !last) {
                    continue;
                }
                let interval = rule.interval(&estimate, p);
                let claims = !interval.contains(0.0);
                claimed[index] |= claims;
                if last {
                    outcomes[index].claimed_last += u32::from(claims);
                    let width = interval.half_width() / plain_half_width(blocks)?;
                    outcomes[index].widths.extend(width.is_finite().then_some(width));
                }
            }
        }
        for (outcome, claimed) in outcomes.iter_mut().zip(claimed) {
            outcome.claimed += u32::from(claimed);
        }
        Ok(())
    }
}

/// Half of the width of Student's 95 % interval of the mean log ratio.
fn plain_half_width(blocks: &[Block]) -> Result<f64, StatsError> {
    let ratios: Vec<f64> = blocks.iter().map(|block| (block.program / block.reference).ln()).collect();
    let error = lotse_stats::descriptive::standard_error(&ratios)?;
    Ok(error * t_quantile(0.975, ratios.len() as f64 - 1.0))
}

/// The looks of a trial of so many blocks: from 10 on, 5 % of the trial apart, or 30 % of what is over where that is less.
fn looks_at(most: usize) -> Vec<usize> {
    let mut last = 0.0;
    let due = |blocks: &usize| {
        let share = *blocks as f64 / most as f64;
        let early = *blocks < 10 || share < last + 0.05_f64.min(0.3 * last) - 1e-9;
        let due = share >= 1.0 || !early;
        if due {
            last = share;
        }
        due
    };
    (1..=most).filter(due).collect()
}

#[cfg(test)]
mod tests {
    use super::{Noise, Study, looks_at};
    use crate::few_blocks::rule::RULES;

    #[test]
    fn looks_are_those_of_the_tool() {
        assert_eq!(looks_at(24), [10, 12, 14, 16, 18, 20, 22, 24]);
        assert_eq!(looks_at(100)[..4], [10, 13, 17, 22]);
        assert_eq!(looks_at(6), [6]);
    }

    #[test]
    fn a_large_difference_is_found_by_every_rule() {
        let outcomes = Study::new(&RULES, 24).unwrap().run(Noise::Normal, 0.05, 50).unwrap();
        for (rule, outcome) in RULES.iter().zip(outcomes) {
            assert_eq!((outcome.claimed, outcome.claimed_last), (50, 50), "{}", rule.name);
            assert!(outcome.widths.iter().all(|width| *width > 0.7), "{}", rule.name);
        }
    }
}
