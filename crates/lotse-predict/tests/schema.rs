//! The published JSON Schemas agree with the code. `UPDATE_EXPECT=1 cargo test -p lotse-predict` rewrites them.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use expect_test::expect_file;
use lotse_predict::answer::{CompareAnswer, FunctionAnswer, ListAnswer, SweepAnswer, TileAnswer};
use lotse_predict::fit::answer::FitAnswer;
use schemars::{JsonSchema, schema_for};

fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n"
}

#[test]
fn functions() {
    expect_file!["../../../docs/schema/lotse.predict-1.json"].assert_eq(&schema::<FunctionAnswer>());
    expect_file!["../../../docs/schema/lotse.predict.list-1.json"].assert_eq(&schema::<ListAnswer>());
    expect_file!["../../../docs/schema/lotse.predict.compare-1.json"].assert_eq(&schema::<CompareAnswer>());
}

#[test]
fn parameters_and_models() {
    expect_file!["../../../docs/schema/lotse.predict.sweep-1.json"].assert_eq(&schema::<SweepAnswer>());
    expect_file!["../../../docs/schema/lotse.predict.tile-1.json"].assert_eq(&schema::<TileAnswer>());
    expect_file!["../../../docs/schema/lotse.predict.fit-1.json"].assert_eq(&schema::<FitAnswer>());
}
