//! Checks that the published JSON Schemas are those of the code. `UPDATE_EXPECT=1 cargo test -p lotse-profile` updates
//! them.

#![expect(clippy::unwrap_used, reason = "a helper of tests")]

use expect_test::expect_file;
use lotse_profile::answer::TopAnswer;
use lotse_profile::calls::CallsAnswer;
use lotse_profile::data::DataAnswer;
use lotse_profile::flame::FlameAnswer;
use lotse_profile::graph::GraphAnswer;
use lotse_profile::groups::GroupsAnswer;
use lotse_profile::treemap::TreemapAnswer;
use schemars::{JsonSchema, schema_for};

fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n"
}

#[test]
fn the_list_of_functions() {
    expect_file!["../../../docs/schema/lotse.profile.top-1.json"].assert_eq(&schema::<TopAnswer>());
}

#[test]
fn the_list_of_groups() {
    expect_file!["../../../docs/schema/lotse.profile.groups-1.json"].assert_eq(&schema::<GroupsAnswer>());
}

#[test]
fn callers_and_callees() {
    expect_file!["../../../docs/schema/lotse.profile.calls-1.json"].assert_eq(&schema::<CallsAnswer>());
}

#[test]
fn data_structures() {
    expect_file!["../../../docs/schema/lotse.profile.data-1.json"].assert_eq(&schema::<DataAnswer>());
}

#[test]
fn flame_graphs() {
    expect_file!["../../../docs/schema/lotse.profile.flame-1.json"].assert_eq(&schema::<FlameAnswer>());
}

#[test]
fn treemaps() {
    expect_file!["../../../docs/schema/lotse.profile.treemap-1.json"].assert_eq(&schema::<TreemapAnswer>());
}

#[test]
fn call_graphs() {
    expect_file!["../../../docs/schema/lotse.profile.graph-1.json"].assert_eq(&schema::<GraphAnswer>());
}
