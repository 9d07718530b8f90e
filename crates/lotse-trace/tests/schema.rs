//! The published JSON Schemas are those of the code. `UPDATE_EXPECT=1 cargo test -p lotse-trace` writes them anew.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use expect_test::expect_file;
use lotse_trace::analyze::{
    CriticalPathAnswer, EfficiencyAnswer, LevelAnswer, OverheadsAnswer, PhasesAnswer, WhatIfAnswer,
};
use lotse_trace::answer::{Answer, InfoAnswer, SeveritiesAnswer};
use lotse_trace::chart::ChartAnswer;
use lotse_trace::diff::DiffAnswer;
use schemars::{JsonSchema, schema_for};

fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n"
}

#[test]
fn the_analysis() {
    expect_file!["../../../docs/schema/lotse.trace-1.json"].assert_eq(&schema::<Answer>());
}

#[test]
fn what_a_trace_contains() {
    expect_file!["../../../docs/schema/lotse.trace.info-1.json"].assert_eq(&schema::<InfoAnswer>());
}

#[test]
fn one_metric_and_one_level() {
    expect_file!["../../../docs/schema/lotse.trace.severities-1.json"]
        .assert_eq(&schema::<SeveritiesAnswer>());
    expect_file!["../../../docs/schema/lotse.trace.level-1.json"].assert_eq(&schema::<LevelAnswer>());
}

#[test]
fn the_critical_path_and_changes() {
    expect_file!["../../../docs/schema/lotse.trace.critical-path-1.json"]
        .assert_eq(&schema::<CriticalPathAnswer>());
    expect_file!["../../../docs/schema/lotse.trace.what-if-1.json"].assert_eq(&schema::<WhatIfAnswer>());
}

#[test]
fn two_runs() {
    expect_file!["../../../docs/schema/lotse.trace.diff-1.json"].assert_eq(&schema::<DiffAnswer>());
}

#[test]
fn the_timeline() {
    expect_file!["../../../docs/schema/lotse.trace.timeline-1.json"].assert_eq(&schema::<ChartAnswer>());
}

#[test]
fn phases_overheads_efficiencies() {
    expect_file!["../../../docs/schema/lotse.trace.phases-1.json"].assert_eq(&schema::<PhasesAnswer>());
    expect_file!["../../../docs/schema/lotse.trace.overheads-1.json"].assert_eq(&schema::<OverheadsAnswer>());
    expect_file!["../../../docs/schema/lotse.trace.efficiency-1.json"]
        .assert_eq(&schema::<EfficiencyAnswer>());
}
