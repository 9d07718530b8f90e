//! Rule: the innermost loop traverses a column of a row-major array.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{LoopFinding, PRIOR, PredictedNest};
use crate::concrete::{ConcreteLoop, Touch};

pub(super) static RULE: Rule = Rule {
    id: "predict-column-order",
    version: 1,
    title: "the innermost loop jumps from row to row",
    meaning: "Each iteration of the innermost loop touches another line of memory, although an outer loop moves along the \
              line. Every line is fetched as often as it has elements.",
    computation: "A reference whose address moves by a line or more with the innermost loop and by less than a line with \
                  an outer one, in a loop in which transfers take more time than computing. The saving is the time of the \
                  transfers less that of fetching each line once; it is reported if it is at least `share` of the \
                  function's time.",
    example: "`for (j…) for (i…) s += a[i][j];` with 8-byte elements: rows of 8000 bytes make every access a new line. With \
              the loops exchanged, 8 accesses share one line.",
    picture: "memory   row 0 |x.......|........|\n         row 1 |x.......|........|   every x is a line of its own",
    advice: "Exchange the loops so that the innermost one moves along rows; where that is not possible, work in tiles or \
             store the array transposed.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "share of the predicted time that is saved, at least",
    }],
    prior: PRIOR,
    references: &["M. Wolf, M. Lam: A data locality optimizing algorithm, PLDI 1991"],
};

pub(super) fn find(nest: &PredictedNest<'_>) -> Vec<Finding> {
    let loops = nest.innermost();
    loops.iter().filter_map(|(around, touches)| describe(nest, around, touches)).collect()
}

/// The finding for one innermost loop: a reference with a large stride in it and a stride below a line in an outer loop.
fn describe(nest: &PredictedNest<'_>, around: &[&ConcreteLoop], touches: &[&Touch]) -> Option<Finding> {
    let (inner, outer) = around.split_last()?;
    let time = nest.time_of(inner).filter(|time| time.transferring > time.computing)?;
    let line = nest.assumptions.machine.caches.first().map_or(64, |cache| i128::from(cache.line));
    let jumping = touches.iter().find_map(|touch| {
        let address = touch.address.as_ref()?;
        let jump = address.factor(inner.variable).abs();
        let mut steps = outer.iter().map(|outer| address.factor(outer.variable).abs());
        let step = steps.find(|step| (1..line).contains(step))?;
        (jump >= line).then_some((touch, jump, step))
    });
    let (touch, jump, step) = jumping?;
    let saved = time.seconds - time.computing.max(time.transferring * step as f64 / line as f64);
    let share = nest.share(saved);
    if share < nest.thresholds.get(&RULE, "share") {
        return None;
    }
    let name = nest.array_name(touch);
    let text = format!(
        "the innermost loop moves {jump} bytes through {name} with each iteration, an outer one {step} bytes; lines of {line} \
         bytes are fetched again and again"
    );
    let numbers = vec![("jump", jump as f64), ("step", step as f64), ("saved", share)];
    let recommendation = format!(
        "exchange the loops, so that the innermost one moves along the rows of {name}; or work in tiles"
    );
    Some(nest.finding(
        &RULE,
        time,
        LoopFinding { saved: share, certainty: 0.8, text, numbers, recommendation },
    ))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::found;

    #[test]
    fn columns_are_found_and_rows_are_not() {
        let sum = "double a[N][N], s; void f(void) { for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) s += a[i][j]; }";
        let findings = found("predict-column-order", sum, 4000);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].reason.data["jump"], 32000.0);
        // Small enough for the caches, or along rows: nothing to gain.
        assert_eq!(found("predict-column-order", sum, 50), []);
        assert_eq!(found("predict-column-order", &sum.replace("a[i][j]", "a[j][i]"), 4000), []);
    }
}
