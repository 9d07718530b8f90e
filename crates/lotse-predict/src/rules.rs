//! Rules that find possible improvements of loop nests. A rule is a file with its text, `find` and tests, and an entry in
//! [`RULES`].

mod column_order;
mod conflict_stride;
#[cfg(test)]
mod fixture;
mod may_alias_store;
mod reduction_chain;
mod tile_size;

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level, Reason, RuleRef, Severity};
use lotse_model::rule::{Prior, Thresholds};
use lotse_model::site::{Site, SourceSite};
use lotse_model::unit::Share;

use crate::concrete::{ConcreteLoop, ConcreteNode, Instance, Touch};
use crate::time::{Assumptions, LoopTime, Prediction};

/// A function with its predicted time: the input of the rules.
pub struct PredictedNest<'a> {
    /// The path of the source as the user gave it.
    pub file: &'a str,
    pub instance: &'a Instance<'a>,
    pub prediction: &'a Prediction,
    pub assumptions: Assumptions<'a>,
    /// The user's thresholds.
    pub thresholds: &'a Thresholds,
}

/// A rule and the function that applies it.
pub struct NestRule {
    /// What `lotse explain` prints.
    pub rule: &'static Rule,
    find: fn(&PredictedNest<'_>) -> Vec<Finding>,
}

/// All rules about loop nests.
pub const RULES: &[NestRule] = &[
    NestRule { rule: &column_order::RULE, find: column_order::find },
    NestRule { rule: &conflict_stride::RULE, find: conflict_stride::find },
    NestRule { rule: &tile_size::RULE, find: tile_size::find },
    NestRule { rule: &reduction_chain::RULE, find: reduction_chain::find },
    NestRule { rule: &may_alias_store::RULE, find: may_alias_store::find },
];

/// All rules of this crate: about loop nests and about fitted models.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|entry| entry.rule).chain(crate::fit::rules::RULES.iter().map(|entry| entry.rule))
}

/// The findings of all rules, the most severe first.
pub fn findings(nest: &PredictedNest<'_>) -> Vec<Finding> {
    let mut all: Vec<Finding> = RULES.iter().flat_map(|entry| (entry.find)(nest)).collect();
    lotse_model::finding::sort(&mut all);
    all
}

/// The expectation before any feedback: the advice of a rule helps two times in three.
const PRIOR: Prior = Prior { helped: 2.0, failed: 1.0 };

/// What a rule found about one loop.
struct LoopFinding {
    /// Share of the function's time that the change would save.
    saved: f64,
    certainty: f64,
    text: String,
    numbers: Vec<(&'static str, f64)>,
    recommendation: String,
}

impl PredictedNest<'_> {
    /// Seconds as a share of the function's predicted time.
    fn share(&self, seconds: f64) -> f64 {
        if self.prediction.seconds > 0.0 { seconds / self.prediction.seconds } else { 0.0 }
    }

    /// The finding of a rule at the position of a loop; a warning if the change would save at least a fifth of the time.
    fn finding(&self, rule: &'static Rule, time: &LoopTime, found: LoopFinding) -> Finding {
        let level = if found.saved >= 0.2 { Level::Warning } else { Level::Note };
        let site = SourceSite {
            file: self.file.to_owned(),
            line: Some(time.place.line).filter(|line| *line > 0),
            column: Some(time.place.column).filter(|column| *column > 0),
            function: Some(self.instance.function.name.clone()),
        };
        Finding {
            rule: RuleRef::from(rule),
            level,
            sites: vec![Site::Source(site)],
            severity: Some(Severity::new(found.saved, "of the predicted time")),
            no_severity: None,
            certainty: Share::clamped(found.certainty),
            reason: Reason::new(found.text, found.numbers),
            recommendation: found.recommendation,
            evidence: Vec::new(),
            verification: None,
        }
    }

    /// For every innermost loop: its accesses, and the chain of loops from the outermost to the innermost one.
    fn innermost(&self) -> Vec<(Vec<&ConcreteLoop>, Vec<&Touch>)> {
        let mut found = Vec::new();
        innermost(&self.instance.body, &mut Vec::new(), &mut found);
        found
    }

    fn time_of(&self, inner: &ConcreteLoop) -> Option<&LoopTime> {
        self.prediction.loops.iter().find(|time| time.place == inner.place)
    }

    fn array_name(&self, touch: &Touch) -> &str {
        self.instance.function.arrays.get(touch.array.0).map_or("?", |array| array.name.as_str())
    }
}

/// Appends the innermost loops below `nodes` to `found`; `around` is the chain of enclosing loops.
fn innermost<'i>(
    nodes: &'i [ConcreteNode],
    around: &mut Vec<&'i ConcreteLoop>,
    found: &mut Vec<(Vec<&'i ConcreteLoop>, Vec<&'i Touch>)>,
) {
    for node in nodes {
        let ConcreteNode::Loop(inner) = node else { continue };
        around.push(inner);
        if inner.body.iter().any(|node| matches!(node, ConcreteNode::Loop(_))) {
            innermost(&inner.body, around, found);
        } else {
            let statements = inner.body.iter().filter_map(|node| match node {
                ConcreteNode::Statement(statement) => Some(statement),
                ConcreteNode::Loop(_) => None,
            });
            found.push((around.clone(), statements.flat_map(|statement| &statement.touches).collect()));
        }
        around.pop();
    }
}
