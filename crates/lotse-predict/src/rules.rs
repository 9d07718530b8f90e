//! What nests show that can be changed, as findings. A rule is a file with its text, `find` and tests, and a line in
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

use crate::concrete::{ConcreteLoop, Instance, Item, Touch};
use crate::time::{Assumptions, LoopTime, Prediction};

/// What rules look at.
pub struct Nest<'a> {
    /// The path of the source, as users gave it.
    pub file: &'a str,
    /// The function with values.
    pub instance: &'a Instance<'a>,
    /// Its time.
    pub prediction: &'a Prediction,
    /// What the time assumes.
    pub assumptions: Assumptions<'a>,
    /// Changed thresholds.
    pub thresholds: &'a Thresholds,
}

/// A rule and how it is looked for.
pub struct Entry {
    /// What `lotse explain` prints.
    pub rule: &'static Rule,
    find: fn(&Nest<'_>) -> Vec<Finding>,
}

/// All rules about nests.
pub const RULES: &[Entry] = &[
    Entry { rule: &column_order::RULE, find: column_order::find },
    Entry { rule: &conflict_stride::RULE, find: conflict_stride::find },
    Entry { rule: &tile_size::RULE, find: tile_size::find },
    Entry { rule: &reduction_chain::RULE, find: reduction_chain::find },
    Entry { rule: &may_alias_store::RULE, find: may_alias_store::find },
];

/// The rules about nests and about fitted models.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|entry| entry.rule).chain(crate::fit::rules::RULES.iter().map(|entry| entry.rule))
}

/// All findings, the weightiest first.
pub fn findings(nest: &Nest<'_>) -> Vec<Finding> {
    let mut all: Vec<Finding> = RULES.iter().flat_map(|entry| (entry.find)(nest)).collect();
    lotse_model::finding::sort(&mut all);
    all
}

/// Nothing was learned about a rule yet; its author expects its advice to help two times in three.
const PRIOR: Prior = Prior { helped: 2.0, failed: 1.0 };

/// What a rule found about one loop.
struct Found {
    /// Share of the function's time that the change would save.
    saved: f64,
    certainty: f64,
    text: String,
    numbers: Vec<(&'static str, f64)>,
    recommendation: String,
}

impl Nest<'_> {
    /// The share of the function's time.
    fn share(&self, seconds: f64) -> f64 {
        if self.prediction.seconds > 0.0 { seconds / self.prediction.seconds } else { 0.0 }
    }

    fn finding(&self, rule: &'static Rule, time: &LoopTime, found: Found) -> Finding {
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
            certainty: Share::clamped(found.certainty),
            reason: Reason::new(found.text, found.numbers),
            recommendation: found.recommendation,
            evidence: Vec::new(),
            verification: None,
        }
    }

    /// The touches directly in every innermost loop, with the loops around them, the innermost last.
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

fn innermost<'i>(
    items: &'i [Item],
    around: &mut Vec<&'i ConcreteLoop>,
    found: &mut Vec<(Vec<&'i ConcreteLoop>, Vec<&'i Touch>)>,
) {
    for item in items {
        let Item::Loop(inner) = item else { continue };
        around.push(inner);
        if inner.body.iter().any(|item| matches!(item, Item::Loop(_))) {
            innermost(&inner.body, around, found);
        } else {
            let statements = inner.body.iter().filter_map(|item| match item {
                Item::Statement(statement) => Some(statement),
                Item::Loop(_) => None,
            });
            found.push((around.clone(), statements.flat_map(|statement| &statement.touches).collect()));
        }
        around.pop();
    }
}
