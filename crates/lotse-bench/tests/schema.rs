//! The published JSON Schemas are those of the code. `UPDATE_EXPECT=1 cargo test -p lotse-bench` writes them anew.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use expect_test::expect_file;
use lotse_bench::Answer;
use lotse_bench::gate::GateAnswer;
use lotse_bench::history::HistoryAnswer;
use lotse_bench::package::{Manifest, ReplayAnswer};
use lotse_model::Finding;
use schemars::{JsonSchema, schema_for};

fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n"
}

#[test]
fn the_answer_of_bench() {
    expect_file!["../../../docs/schema/lotse.bench-1.json"].assert_eq(&schema::<Answer>());
}

#[test]
fn the_answer_of_history() {
    expect_file!["../../../docs/schema/lotse.bench.history-1.json"].assert_eq(&schema::<HistoryAnswer>());
}

#[test]
fn the_answer_of_the_gate() {
    expect_file!["../../../docs/schema/lotse.bench.gate-1.json"].assert_eq(&schema::<GateAnswer>());
}

#[test]
fn the_answer_of_a_replay() {
    expect_file!["../../../docs/schema/lotse.bench.replay-1.json"].assert_eq(&schema::<ReplayAnswer>());
}

#[test]
fn the_manifest_of_a_package() {
    expect_file!["../../../docs/schema/lotse.package-1.json"].assert_eq(&schema::<Manifest>());
}

#[test]
fn the_finding() {
    expect_file!["../../../docs/schema/finding.json"].assert_eq(&schema::<Finding>());
}
