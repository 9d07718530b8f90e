//! Synthetic profiles for the tests of rules.

use lotse_model::profile::EventType;
use lotse_model::rule::Thresholds;
use lotse_model::{Finding, Profile};

use super::{Context, findings};
use crate::analysis::{Analysis, CycleMode};

/// The findings of one rule in a profile.
pub(crate) fn found(profile: &Profile, rule: &str) -> Vec<Finding> {
    profile.check().unwrap();
    let analysis = Analysis::of_default_parts(profile, CycleMode::Folded);
    let context = Context {
        profile,
        summary: &analysis.summary(),
        file: "old.out",
        call: lotse_model::Invocation::NONE,
        thresholds: &Thresholds::default(),
    };
    findings(&context).into_iter().filter(|finding| finding.rule.id == rule).collect()
}

/// A profile with self costs of several event types.
pub(crate) fn counted(events: &[&str], own: &[(&str, &[u64])]) -> Profile {
    let mut builder = lotse_model::profile::Builder::new();
    builder.profile.events = events.iter().map(|name| EventType::count(name)).collect();
    let mut part = lotse_model::profile::Part::new("1", events.len(), false);
    let file = builder.file("/src/app.c");
    let object = builder.object("/bin/app");
    for (name, costs) in own {
        part.own.function.push(builder.function(name, object, file));
        part.own.costs.push(costs);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}
