//! Rule: a floating-point sum limits the loop, because additions must be executed in order.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{LoopFinding, PRIOR, PredictedNest};
use crate::time::{Limit, LoopTime};

pub(super) static RULE: Rule = Rule {
    id: "predict-reduction-chain",
    version: 1,
    title: "a sum waits for itself",
    meaning: "Each iteration adds to the result of the one before, and waits until that addition is finished. Compilers keep the \
              order of floating-point operations, so the loop is neither vectorised nor overlapped.",
    computation: "The longest dependence chain around the innermost loop is one or two floating-point additions or multiplications, \
                  and it takes longer than everything else. With as many independent sums as additions fit into one latency (four \
                  are assumed) the loop would take a quarter of the time; the rule fires if that saves `share` of the function's \
                  time.",
    example: "`for (i…) s += a[i] * b[i];` takes 4 cycles for each iteration on a core that could do two iterations in one.",
    picture: "a0 ── + ──> a1 ── + ──> a2 ── + ──>   4 cycles each, one after the other",
    advice: "Use several sums and add them at the end, or allow the compiler to reorder (-ffast-math, `#pragma omp simd \
             reduction`); in Rust use chunks_exact with an array of sums. The result changes in its last digits.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "share of the predicted time that is saved, at least",
    }],
    prior: PRIOR,
    references: &[
        "D. Goldberg: What every computer scientist should know about floating-point arithmetic, 1991",
    ],
};

/// Assumed number of independent partial sums.
const SUMS: f64 = 4.0;

pub(super) fn find(nest: &PredictedNest<'_>) -> Vec<Finding> {
    nest.prediction.loops.iter().filter_map(|time| describe(nest, time)).collect()
}

/// The finding for one loop that is limited by a reduction.
fn describe(nest: &PredictedNest<'_>, time: &LoopTime) -> Option<Finding> {
    let (cycles, subject) = time.reduction.as_ref().filter(|_| time.limit == Limit::Chain)?;
    let saved = nest.share(time.seconds - (time.seconds / SUMS).max(time.transferring));
    if saved < nest.thresholds.get(&RULE, "share") {
        return None;
    }
    let text = format!(
        "each iteration waits {cycles:.0} cycles for {subject} of the one before, in the order of the source"
    );
    let numbers = vec![("cycles", *cycles), ("saved", saved)];
    let recommendation = format!(
        "accumulate {subject} in {SUMS:.0} independent sums, or allow the compiler to reorder additions"
    );
    Some(nest.finding(&RULE, time, LoopFinding { saved, certainty: 0.8, text, numbers, recommendation }))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::found;

    #[test]
    fn sums_of_floats_are_found_and_sums_of_integers_are_not() {
        let sum = "double a[N], s; void f(void) { for (int i = 0; i < N; i++) s += a[i]; }";
        assert_eq!(found("predict-reduction-chain", sum, 1000).len(), 1);
        let integers = "int a[N]; void f(void) { int s = 0; for (int i = 0; i < N; i++) s += a[i]; }";
        assert_eq!(found("predict-reduction-chain", integers, 1000), []);
        // A recurrence is no sum: it cannot be divided.
        let recurrence = "double a[N]; void f(void) { for (int i = 1; i < N; i++) a[i] = 1 / (2 + a[i-1]); }";
        assert_eq!(found("predict-reduction-chain", recurrence, 1000), []);
    }
}
