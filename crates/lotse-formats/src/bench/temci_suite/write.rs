//! Writes a suite as temci's run configuration, with only the keys that have a value.
//!
//! Metrics that the chosen runner of temci cannot measure are left out. A suite without a runner means temci's default,
//! `time`.

use std::io;

use lotse_model::Suite;
use lotse_model::suite::{BuildPlan, Expected, SuiteProgram};
use serde_json::{Map, Value, json};

use super::build;
use crate::bench::temci_names;
use crate::yaml;

/// Writes one block for each program.
pub fn write(suite: &Suite, out: &mut dyn io::Write) -> io::Result<()> {
    let fixed_addresses = suite.separation.iter().any(|action| action == "aslr");
    let blocks: Vec<Value> = suite.programs.iter().map(|program| block(program, fixed_addresses)).collect();
    out.write_all(yaml::to_text(&blocks.into()).as_bytes())
}

fn block(program: &SuiteProgram, fixed_addresses: bool) -> Value {
    let mut attributes = Map::new();
    attributes.extend(program.name.as_ref().map(|name| entry("description", json!(name))));
    if !program.tags.is_empty() {
        attributes.extend([entry("tags", json!(program.tags))]);
    }
    for (name, value) in &program.attributes {
        if !["description", "tags"].contains(&name.as_str()) {
            attributes.insert(name.clone(), value.clone());
        }
    }
    let mut config = run_config(program);
    config.extend(fixed_addresses.then(|| entry("disable_aslr", json!(true))));
    let mut block =
        Map::from_iter([entry("attributes", attributes.into()), entry("run_config", config.into())]);
    block.extend(program.build.as_ref().map(|plan| entry("build_config", build_config(plan).into())));
    block.into()
}

/// The `run_config` of a block: command, environment, runner, numbers of runs and checks.
fn run_config(program: &SuiteProgram) -> Map<String, Value> {
    let command = match program.commands.as_slice() {
        [single] => json!(single),
        several => json!(several),
    };
    let mut config = Map::from_iter([entry("run_cmd", command)]);
    if !program.environment.is_empty() {
        config.extend([entry("env", json!(program.environment))]);
    }
    config.extend(match program.directories.as_slice() {
        [] => None,
        [single] => Some(entry("cwd", json!(single))),
        several => Some(entry("cwd", json!(several))),
    });
    config.extend(program.runner.as_ref().map(|runner| entry("runner", json!(runner))));
    config.extend(properties(program));
    let counts = [
        ("min_runs", program.min_runs),
        ("max_runs", program.max_runs),
        ("runs", program.runs),
        ("discarded_runs", program.discarded_runs),
    ];
    config.extend(counts.into_iter().filter_map(|(key, count)| Some(entry(key, json!(count?)))));
    config.extend(validator(&program.expected));
    config
}

fn build_config(plan: &BuildPlan) -> Map<String, Value> {
    let BuildPlan { command, base, folder, revision, branch, count, varied } = plan;
    let texts = [
        ("cmd", command),
        ("base_dir", base),
        ("working_dir", folder),
        ("revision", revision),
        ("branch", branch),
    ];
    let mut config: Map<String, Value> =
        texts.into_iter().filter_map(|(key, text)| Some(entry(key, json!(text.as_ref()?)))).collect();
    config.extend(count.map(|count| entry("number", json!(count))));
    config.extend(varied.as_ref().map(|varied| {
        let keys: Map<String, Value> =
            varied.iter().map(|varied| entry(build::key_of_varied(*varied), json!(true))).collect();
        entry("randomization", keys.into())
    }));
    config
}

fn properties(program: &SuiteProgram) -> Option<(String, Value)> {
    let runner = program.runner.as_deref().unwrap_or("time");
    let configurable = ["time", "rusage", "perf_stat"].contains(&runner);
    let names: Vec<&str> = program
        .metrics
        .iter()
        .filter_map(|metric| temci_names::property_for_runner(runner, metric))
        .collect();
    (configurable && !names.is_empty()).then(|| entry(runner, json!({ "properties": names })))
}

/// The checks of a program, with all keys, because temci adds no defaults in a validator; `None` if nothing is checked.
fn validator(expected: &Expected) -> Option<(String, Value)> {
    let codes = match expected.exit_codes.as_slice() {
        [] => json!(0),
        several => json!(several),
    };
    let validator = json!({
        "expected_return_code": codes,
        "expected_output": expected.output,
        "expected_output_contains": expected.output_contains,
        "unexpected_output_contains": expected.output_lacks,
        "expected_err_output": null,
        "expected_err_output_contains": expected.error_contains,
        "unexpected_err_output_contains": expected.error_lacks,
    });
    (*expected != Expected::default()).then(|| entry("validator", validator))
}

fn entry(key: &str, value: Value) -> (String, Value) {
    (key.to_owned(), value)
}
