//! Checks that the published JSON Schemas match the code. `UPDATE_EXPECT=1 cargo test -p lotse-spy` updates them.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use expect_test::expect_file;
use lotse_spy::answer::{AnalyzeAnswer, CoverageAnswer, HistoryAnswer, PhasesAnswer, SitesAnswer};
use schemars::{JsonSchema, schema_for};

fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n"
}

#[test]
fn findings_and_coverage() {
    expect_file!["../../../docs/schema/lotse.spy.analyze-1.json"].assert_eq(&schema::<AnalyzeAnswer<'_>>());
    expect_file!["../../../docs/schema/lotse.spy.coverage-1.json"].assert_eq(&schema::<CoverageAnswer<'_>>());
}

#[test]
fn sites_phases_and_histories() {
    expect_file!["../../../docs/schema/lotse.spy.sites-1.json"].assert_eq(&schema::<SitesAnswer>());
    expect_file!["../../../docs/schema/lotse.spy.phases-1.json"].assert_eq(&schema::<PhasesAnswer>());
    expect_file!["../../../docs/schema/lotse.spy.history-1.json"].assert_eq(&schema::<HistoryAnswer>());
}
