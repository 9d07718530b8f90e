//! Shared helper for the tests of all rules.

use lotse_model::finding::Finding;
use lotse_model::rule::Thresholds;

use super::{PredictedNest, findings};
use crate::concrete::{Instance, Values};
use crate::front::c;
use crate::locality::{Classes, Start};
use crate::machine::{Cache, Machine};
use crate::time::{Assumptions, Compiler, predict};

/// The findings of one rule about the only function of a C source, with N = n = `n`.
pub(super) fn found(rule: &str, source: &str, n: i64) -> Vec<Finding> {
    let function = c::functions(source).unwrap().remove(0);
    let values = Values::named(&function, &[("N", n), ("n", n)]);
    let instance = Instance::new(&function, &values);
    assert_eq!(instance.refusals, []);
    let cache = |name: &str, capacity, ways| Cache { name: name.to_owned(), capacity, line: 64, ways };
    let machine = Machine::typical("test", vec![cache("L1", 49152, 12), cache("L2", 2 << 20, 16)]).unwrap();
    let assumptions =
        Assumptions { machine: &machine, compiler: Compiler::GccO2, start: Start::Warm, compiled: None };
    let prediction = predict(&instance, &Classes::new(&instance), assumptions).unwrap();
    let thresholds = Thresholds::DEFAULT;
    let nest =
        PredictedNest { file: "x.c", instance: &instance, prediction: &prediction, assumptions, thresholds };
    findings(&nest).into_iter().filter(|finding| finding.rule.id == rule).collect()
}
