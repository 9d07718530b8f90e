//! Comparisons of interleaved runs, block by block.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_stats::Interval;
use lotse_stats::paired::{Estimator, PairedEstimate};
use lotse_stats::sequential::{self, Decision};

use super::levels::Precision;
use super::{Question, division, levels, zeros};
use crate::answer::{Comparison, Difference, Units, Verdict};
use crate::pairing;
use crate::shell_error::ShellError;
use crate::trial::Conclusion;

/// All programs against the reference on one metric. The programs share the error probability on the primary metric.
pub(super) fn compare(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
    programs: &[ProgramId],
    metric: &str,
) -> Vec<Comparison> {
    let primary = metric == question.primary;
    let look = if primary { conclusion.looks.last() } else { conclusion.looks.first() };
    let one = |&program: &ProgramId| {
        let subject = PairedSubject { set, question, conclusion, program, metric };
        let shell = conclusion.shell.as_ref();
        match (pairing::family(set, question.reference, program, metric, shell), look) {
            (Some(family), Some(look)) => {
                let decision = family.decide(&conclusion.plan, *look);
                let decided = subject.decided(&family.estimate, decision, shell);
                if family.is_dominated() { dominated(set, decided) } else { decided }
            }
            (Some(family), None) => subject.early(&family.estimate),
            (None, _) => subject.empty(),
        }
    };
    programs.iter().map(one).collect()
}

struct PairedSubject<'a> {
    set: &'a ResultSet,
    question: &'a Question<'a>,
    conclusion: &'a Conclusion,
    program: ProgramId,
    metric: &'a str,
}

impl PairedSubject<'_> {
    /// The comparison after a look. A ratio that is the same in all blocks is reported exactly, without the rounding of
    /// logarithms, unless the cost of a shell was subtracted, whose error then still widens the interval.
    fn decided(
        &self,
        estimate: &PairedEstimate,
        decision: Decision,
        shell: Option<&ShellError>,
    ) -> Comparison {
        let subtracted = shell.and_then(|shell| shell.bounds(self.metric)).is_some();
        let exact = self.exact_ratio(estimate).filter(|_| !subtracted);
        let bounds = if exact.is_some() { [exact; 2] } else { bounds(&decision) };
        Comparison {
            ratio: exact.or_else(|| estimate.ratio().and_then(finite)),
            interval: bounds,
            difference: difference(estimate, &decision),
            verdict: verdict(decision.verdict),
            estimator: estimator(estimate).to_owned(),
            blocks: estimate.blocks() as u32,
            units: self.units(),
            division: division::best_division(self.set, self.question, self.program, self.precision()),
            warnings: self.warnings(estimate, &decision),
            ..self.empty()
        }
    }

    /// A comparison that ended before the first look: a ratio without an interval.
    fn early(&self, estimate: &PairedEstimate) -> Comparison {
        Comparison {
            ratio: estimate.ratio().and_then(finite),
            estimator: estimator(estimate).to_owned(),
            blocks: estimate.blocks() as u32,
            warnings: vec!["it ended before the first look".to_owned()],
            ..self.empty()
        }
    }

    /// The precision to reach: `--until` if given, else delta.
    fn precision(&self) -> Precision {
        let plan = &self.conclusion.plan;
        Precision { wanted: plan.until.unwrap_or(plan.delta), alpha: plan.alpha }
    }

    fn units(&self) -> Option<Units> {
        levels::units(self.set, self.question, self.program, self.precision())
    }

    /// A ratio that is the same in all blocks, divided directly and not rounded through logarithms.
    fn exact_ratio(&self, estimate: &PairedEstimate) -> Option<f64> {
        let blocks = pairing::blocks(self.set, self.question.reference, self.program, self.metric);
        let first = blocks.first().filter(|_| estimate.exact && estimate.estimator == Estimator::LogRatio)?;
        finite(first.program / first.reference)
    }

    /// What limits the comparison: zeros in the data, blocks made after the last look, an interval that is not bounded.
    fn warnings(&self, estimate: &PairedEstimate, decision: &Decision) -> Vec<String> {
        let mut warnings = Vec::new();
        if estimate.estimator == Estimator::RelativeDifference {
            warnings.push("some values are zero: differences take the place of ratios".to_owned());
        }
        if estimate.estimator == Estimator::Difference {
            let difference = difference(estimate, decision);
            warnings.push(zeros::sentence(
                self.set,
                [self.question.reference, self.program],
                self.metric,
                difference,
            ));
        }
        if self.conclusion.looked < self.conclusion.blocks && self.conclusion.looked > 0 {
            warnings.push(format!(
                "the interval is that of the last look, after {} of {} blocks",
                self.conclusion.looked, self.conclusion.blocks
            ));
        }
        if !decision.theta.half_width().is_finite() {
            let what = self.units().map_or("block", |units| units.level);
            warnings.push(format!("{} {what}s cannot bound the ratio yet", estimate.blocks()));
        }
        warnings
    }

    /// A comparison without any pair of good runs.
    fn empty(&self) -> Comparison {
        let name = |id: ProgramId| self.set.programs[id.index()].name.clone();
        Comparison {
            reference: name(self.question.reference),
            program: name(self.program),
            metric: self.metric.to_owned(),
            primary: self.metric == self.question.primary,
            ratio: None,
            interval: [None, None],
            difference: None,
            level: 1.0 - self.conclusion.plan.alpha,
            delta: self.conclusion.plan.delta,
            verdict: Verdict::Undecided,
            within_delta: false,
            estimator: "none".to_owned(),
            blocks: 0,
            units: None,
            division: None,
            runs: None,
            stopped_by: self.conclusion.stopped_by.word().to_owned(),
            warnings: vec!["no block has good runs of both programs".to_owned()],
        }
    }
}

/// Removes the interval and the verdict of a comparison in which the uncertain cost of the shell or tool that starts the
/// programs is too large against the programs.
pub(super) fn dominated(set: &ResultSet, comparison: Comparison) -> Comparison {
    let starter = set.start_cost.as_ref().map_or("the shell", |cost| cost.starter.as_str());
    let without = if starter == "the shell" { "a shell" } else { starter };
    let reason = format!(
        "{starter}, which starts the programs, costs too much against them, and that cost is not known well enough: \
         there is no bound of the ratio; measure without {without}, or let the programs do more"
    );
    Comparison {
        interval: [None, None],
        difference: None,
        verdict: Verdict::Undecided,
        warnings: vec![reason],
        ..comparison
    }
}

/// How the ratio was estimated, in a word.
fn estimator(estimate: &PairedEstimate) -> &'static str {
    match estimate.estimator {
        _ if estimate.exact => "exact",
        Estimator::LogRatio => "paired-hodges-lehmann",
        Estimator::RelativeDifference => "paired-relative-difference",
        Estimator::Difference => "paired-difference",
    }
}

pub(super) fn verdict(verdict: sequential::Verdict) -> Verdict {
    match verdict {
        sequential::Verdict::Faster => Verdict::Faster,
        sequential::Verdict::Slower => Verdict::Slower,
        sequential::Verdict::Equivalent => Verdict::Equivalent,
        sequential::Verdict::Undecided => Verdict::Undecided,
    }
}

/// The ends of the ratio's interval, where the data bound it. On the scale of ratios an open lower end is 0.
pub(super) fn bounds(decision: &Decision) -> [Option<f64>; 2] {
    decision.ratio.map_or([None, None], ratio_bounds)
}

/// The ends of an interval of a ratio, each where it is bounded.
pub(super) fn ratio_bounds(ratio: Interval) -> [Option<f64>; 2] {
    [Some(ratio.low), Some(ratio.high)].map(|end| end.filter(|end| *end > 0.0 && end.is_finite()))
}

/// The difference in the metric's unit, where there is no ratio.
fn difference(estimate: &PairedEstimate, decision: &Decision) -> Option<Difference> {
    let interval = [decision.theta.low, decision.theta.high].map(finite);
    (estimate.estimator == Estimator::Difference).then_some(Difference { value: estimate.theta, interval })
}

pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
