//! Comparisons of runs that were made side by side.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_stats::paired::{Estimator, PairedEstimate};
use lotse_stats::sequential::{self, Decision, decide, holm_sequential};

use super::Question;
use crate::answer::{Comparison, Verdict};
use crate::pairing;
use crate::trial::Conclusion;

/// All programs against the reference on one metric. Holm's procedure guards the primary metric only.
pub(super) fn compare(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
    programs: &[ProgramId],
    metric: &str,
) -> Vec<Comparison> {
    let estimate = |&program: &ProgramId| pairing::estimate(set, question.reference, program, metric);
    let estimates: Vec<Option<PairedEstimate>> = programs.iter().map(estimate).collect();
    let decisions = decisions(conclusion, &estimates, metric == question.primary);
    let rows = programs.iter().zip(&estimates).zip(decisions);
    rows.map(|((&program, estimate), decision)| {
        let subject = Subject { set, question, conclusion, program, metric };
        match (estimate, decision) {
            (Some(estimate), Some(decision)) => subject.decided(estimate, decision),
            (Some(estimate), None) => subject.early(estimate),
            (None, _) => subject.empty(),
        }
    })
    .collect()
}

fn decisions(
    conclusion: &Conclusion,
    estimates: &[Option<PairedEstimate>],
    primary: bool,
) -> Vec<Option<Decision>> {
    let all: Option<Vec<PairedEstimate>> = estimates.iter().cloned().collect();
    match all {
        Some(all) if primary && conclusion.looks.len() == all.len() => {
            holm_sequential(&conclusion.plan, &conclusion.looks, &all).into_iter().map(Some).collect()
        }
        _ => {
            let look = if primary { conclusion.looks.last() } else { conclusion.looks.first() };
            let one = |estimate: &Option<PairedEstimate>| {
                Some(decide(&conclusion.plan, *look?, estimate.as_ref()?))
            };
            estimates.iter().map(one).collect()
        }
    }
}

struct Subject<'a> {
    set: &'a ResultSet,
    question: &'a Question<'a>,
    conclusion: &'a Conclusion,
    program: ProgramId,
    metric: &'a str,
}

impl Subject<'_> {
    fn decided(&self, estimate: &PairedEstimate, decision: Decision) -> Comparison {
        let exact = self.exact_ratio(estimate);
        let bounds = if exact.is_some() { [exact; 2] } else { bounds(&decision) };
        Comparison {
            ratio: exact.or_else(|| estimate.ratio().and_then(finite)),
            interval: bounds,
            verdict: verdict(decision.verdict),
            estimator: estimator(estimate).to_owned(),
            blocks: estimate.blocks() as u32,
            warnings: self.warnings(estimate, &decision),
            ..self.empty()
        }
    }

    /// A comparison that nobody has looked at yet.
    fn early(&self, estimate: &PairedEstimate) -> Comparison {
        Comparison {
            ratio: estimate.ratio().and_then(finite),
            estimator: estimator(estimate).to_owned(),
            blocks: estimate.blocks() as u32,
            warnings: vec!["it ended before the first look".to_owned()],
            ..self.empty()
        }
    }

    /// A constant ratio without the rounding of its way through logarithms.
    fn exact_ratio(&self, estimate: &PairedEstimate) -> Option<f64> {
        let blocks = pairing::blocks(self.set, self.question.reference, self.program, self.metric);
        let first = blocks.first().filter(|_| estimate.exact && estimate.estimator == Estimator::LogRatio)?;
        finite(first.program / first.reference)
    }

    fn warnings(&self, estimate: &PairedEstimate, decision: &Decision) -> Vec<String> {
        let mut warnings = Vec::new();
        let claims = matches!(decision.verdict, sequential::Verdict::Faster | sequential::Verdict::Slower);
        if claims && decision.theta.contains(0.0) {
            warnings.push("claimed by a later step of Holm's procedure; the interval shown holds for all programs together".to_owned());
        }
        if estimate.estimator == Estimator::RelativeDifference {
            warnings.push("some values are zero: differences take the place of ratios".to_owned());
        }
        if estimate.estimator == Estimator::Difference {
            warnings.push("the reference is zero: there is no ratio".to_owned());
        }
        if !decision.theta.half_width().is_finite() {
            warnings.push(format!("{} blocks cannot bound the ratio yet", estimate.blocks()));
        }
        warnings
    }

    /// A comparison of which nothing is known.
    fn empty(&self) -> Comparison {
        let name = |id: ProgramId| self.set.programs[id.index()].name.clone();
        Comparison {
            reference: name(self.question.reference),
            program: name(self.program),
            metric: self.metric.to_owned(),
            primary: self.metric == self.question.primary,
            ratio: None,
            interval: [None, None],
            level: 1.0 - self.conclusion.plan.alpha,
            delta: self.conclusion.plan.delta,
            verdict: Verdict::Undecided,
            estimator: "none".to_owned(),
            blocks: 0,
            stopped_by: self.conclusion.stopped_by.word().to_owned(),
            warnings: vec!["no block has good runs of both programs".to_owned()],
        }
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

fn verdict(verdict: sequential::Verdict) -> Verdict {
    match verdict {
        sequential::Verdict::Faster => Verdict::Faster,
        sequential::Verdict::Slower => Verdict::Slower,
        sequential::Verdict::Equivalent => Verdict::Equivalent,
        sequential::Verdict::Undecided => Verdict::Undecided,
    }
}

/// The ends of the ratio's interval, where the data bound it. On the scale of ratios an open lower end would be 0.
pub(super) fn bounds(decision: &Decision) -> [Option<f64>; 2] {
    let Some(ratio) = decision.ratio else { return [None, None] };
    [finite(decision.theta.low).map(|_| ratio.low), finite(ratio.high)]
}

pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
