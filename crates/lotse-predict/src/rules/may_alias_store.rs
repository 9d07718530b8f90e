//! Rule: a result is stored in every iteration, because another pointer may alias it.

use lotse_model::Rule;
use lotse_model::finding::Finding;
use lotse_model::rule::Threshold;

use super::{LoopFinding, PRIOR, PredictedNest};
use crate::time::{Limit, LoopTime};

pub(super) static RULE: Rule = Rule {
    id: "predict-may-alias-store",
    version: 1,
    title: "a store stays in the loop because pointers may overlap",
    meaning: "The loop accumulates into one element of an array. The compiler cannot keep it in a register, because another pointer \
              of the loop may point to the same element.",
    computation: "A store whose address stands still in the innermost loop, and an access through another pointer of the same width \
                  without `restrict` (or to an unknown element of the same array). The rule fires if the loop takes at least \
                  `share` of the function's time.",
    example: "`void f(int n, double *c, double *a) { … c[i] += a[j]; }` stores c[i] in every iteration.",
    picture: "",
    advice: "Accumulate in a local variable and store it after the loop, or declare the pointers `restrict`.",
    thresholds: &[Threshold {
        name: "share",
        default: 0.1,
        meaning: "share of the loop of the predicted time, at least",
    }],
    prior: PRIOR,
    references: &["ISO C, 6.7.3.1: formal definition of restrict"],
};

pub(super) fn find(nest: &PredictedNest<'_>) -> Vec<Finding> {
    nest.prediction.loops.iter().filter_map(|time| describe(nest, time)).collect()
}

/// The finding for one innermost loop whose store cannot be kept in a register.
fn describe(nest: &PredictedNest<'_>, time: &LoopTime) -> Option<Finding> {
    let (store, other) = time.blocked.filter(|_| time.is_innermost)?;
    let share = nest.share(time.seconds);
    if share < nest.thresholds.get(&RULE, "share") {
        return None;
    }
    // If something else limits the loop, the store itself costs little; it may still prevent vectorisation.
    let saved = if time.limit == Limit::Stores { share / 2.0 } else { share / 10.0 };
    let name = |id: crate::nest::ArrayId| {
        nest.instance.function.arrays.get(id.0).map_or("?", |array| array.name.as_str())
    };
    let (store, other) = (name(store), name(other));
    let text = match store == other {
        true => format!(
            "an element of {store} is stored in every iteration, because another one of it may be the same"
        ),
        false => {
            format!("an element of {store} is stored in every iteration, because {other} may point to it")
        }
    };
    let recommendation = format!("accumulate in a local variable and store it to {store} after the loop");
    let numbers = vec![("share", share)];
    Some(nest.finding(&RULE, time, LoopFinding { saved, certainty: 0.7, text, numbers, recommendation }))
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::found;

    #[test]
    fn pointers_may_overlap_and_arrays_do_not() {
        let pointers = "void f(int n, double *c, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i] += a[j]; }";
        let findings = found("predict-may-alias-store", pointers, 1000);
        assert!(findings[0].reason.text.contains("because a may point to it"), "{findings:?}");
        let arrays = "double c[N], a[N]; void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) c[i] += a[j]; }";
        assert_eq!(found("predict-may-alias-store", arrays, 1000), []);
    }
}
