//! temci's build configurations and settings key by key: what is read, and what is reported as unsupported.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use expect_test::expect;
use lotse_formats::bench::temci_result;
use lotse_formats::bench::temci_settings::{self, TemciSettings};
use lotse_formats::{Diagnostic, Reading, read_results, read_suite};
use lotse_model::Suite;
use lotse_model::bytes::Memory;
use lotse_model::id::ProgramId;
use lotse_model::suite::BuildPlan;
use serde_json::{Value, json};

fn suite(yaml: &str) -> Reading<Suite> {
    read_suite(&Memory { name: "suite", bytes: yaml.as_bytes() }, Some("temci-suite")).unwrap()
}

fn formatted(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|odd| format!("{:?}: {odd}\n", odd.weight)).collect()
}

fn build(lines: &str) -> (BuildPlan, Reading<Suite>) {
    let mut yaml = "- run_config: {cmd: a}\n  build_config:\n    cmd: make\n".to_owned();
    yaml.extend(lines.lines().map(|line| format!("    {line}\n")));
    let reading = suite(&yaml);
    (reading.value.programs[0].build.clone().unwrap(), reading)
}

#[test]
fn every_key_of_a_build_configuration_is_understood() {
    for (lines, pointer, expected) in [
        ("build_cmd: ninja", "/command", json!("ninja")),
        ("base_dir: a\nworking_dir: b", "/folder", json!("b")),
        ("revision: -1", "/revision", Value::Null),
        ("revision: v1.0", "/revision", json!("v1.0")),
        ("branch: ''", "/branch", Value::Null),
        ("branch: topic", "/branch", json!("topic")),
        ("number: 7", "/count", json!(7)),
        ("randomization: {}", "/varied", json!([])),
        ("randomization: {heap: 0, stack: 0, bss: false}", "/varied", json!([])),
        ("randomization: {linker: true, bss: true}", "/varied", json!(["bss", "objects"])),
        (
            "randomization: {data: true, rodata: true, file_structure: true}",
            "/varied",
            json!(["functions", "constants", "data"]),
        ),
    ] {
        let (plan, reading) = build(lines);
        assert_eq!(serde_json::to_value(plan).unwrap().pointer(pointer), Some(&expected), "{lines}");
        assert_eq!((reading.diagnostics.len(), reading.value.ignored.len()), (0, 0), "{lines}");
    }
    for (lines, named) in [
        ("randomization: {heap: 64}", "`randomization: heap`"),
        ("randomization: {stack: 64}", "`randomization: stack`"),
        ("randomization: {header: true}", "`randomization: header`"),
        ("randomization: {used_as: x}", "`randomization: used_as`"),
        ("randomization: {used_ld: x}", "`randomization: used_ld`"),
    ] {
        let ignored = build(lines).1.value.ignored;
        assert!(ignored.len() == 1 && ignored[0].contains(named), "{lines}: {ignored:?}");
    }
    let odd = suite(
        "- build_config: {cmd: [a], number: 0, number_of: 3, randomization: {glue: true}}\n  run_config: {cmd: a}\n",
    );
    expect![[r#"
        Loss: line 1, column 23: expected a text, found a list: left out
        Loss: line 1, column 36: expected at least one build, found a number: left out
        Note: line 1, column 39: "number_of" is no key of a build configuration: ignored
        Note: line 1, column 69: "glue" is no key of `randomization`: ignored
    "#]]
    .assert_eq(&formatted(&odd.diagnostics));
}

fn settings(yaml: &str) -> Reading<TemciSettings> {
    temci_settings::read(&Memory { name: "settings", bytes: yaml.as_bytes() }).unwrap()
}

#[test]
fn presets_and_plugins_become_actions() {
    for (yaml, expected) in [
        ("exec_misc: {preset: none}", ""),
        (
            "exec_misc: {preset: usable}",
            "governor=performance cpuset aslr smt turbo swap nice=-15 ionice=realtime sync",
        ),
        (
            "exec_misc: {preset: all}",
            "governor=performance cpuset aslr smt turbo swap nice=-15 ionice=realtime nice-others=19 stop-others sync",
        ),
        ("exec_plugins: {nice_active: true, nice_misc: {nice: 3, io_nice: 0}}", "nice=3"),
        ("exec_plugins: {preheat_active: true, preheat_misc: {time: 1.5}}", "preheat=1500"),
        (
            "exec_plugins: {exec_active: [sleep, drop_fs_caches, flush_cpu_caches]}",
            "drop-caches cache-flush pause=10000",
        ),
        ("exec_plugins: {disable_turbo_boost_active: true, disable_amd_boost_active: true}", "turbo"),
        ("disable_hyper_threading: true", "smt"),
        ("cpuset: {active: false}\n  exec_misc: {preset: none}", ""),
    ] {
        let reading = settings(&format!("run:\n  {yaml}\n"));
        assert_eq!(reading.value.run.separation.join(" "), expected, "{yaml}");
        assert_eq!(reading.diagnostics, [], "{yaml}");
        assert!(reading.value.ignored.values().all(Vec::is_empty), "{yaml}: {:?}", reading.value.ignored);
    }
    let warm =
        settings("run: {exec_plugins: {discarded_runs_active: true, discarded_runs_misc: {runs: 3}}}").value;
    assert_eq!(warm.run.counts.discarded, Some(3));
    let bad = settings("run: {exec_misc: {preset: extreme}}").value.ignored;
    assert_eq!(bad["run"], ["There is no preset \"extreme\": none, usable and all are known."]);
}

#[test]
fn damaged_settings_are_reported() {
    let diagnostics =
        formatted(&settings("run: {runs: many, append: 3, max_time: soon}\nriddle: 1\n").diagnostics);
    expect![[r#"
        Loss: line 1, column 13: expected a number of runs, found a text: left out
        Loss: line 1, column 27: expected true or false, found a number: left out
        Loss: line 1, column 40: expected a span of time, such as '1h 20min', found a text: left out
        Note: line 2, column 1: "riddle" is no key of temci's settings: ignored
    "#]]
    .assert_eq(&diagnostics);
    for broken in ["[1, 2", "run: {a: [}", "\u{0}"] {
        let bytes = broken.as_bytes();
        let read = temci_settings::read(&Memory { name: "settings", bytes });
        assert!(read.is_err() || !read.unwrap().diagnostics.is_empty(), "{broken}");
    }
    let listed = settings("- run: {}\n");
    assert_eq!(listed.diagnostics.len(), 1, "a suite is no settings file");
}

/// Names of properties that differ between temci's runners are kept.
#[test]
fn names_of_properties_come_back() {
    let yaml = "- attributes: {description: a}\n  data: {maxrss: [4, 8], nvcsw: [1, 2]}\n";
    let read = read_results(&Memory { name: "results", bytes: yaml.as_bytes() }, Some("temci"));
    let set = read.unwrap().value;
    assert_eq!(set.samples(ProgramId(0), "peak_memory"), [4096.0, 8192.0]);
    let mut written = Vec::new();
    temci_result::write(&set, &mut written).unwrap();
    let text = String::from_utf8(written).unwrap();
    assert!(
        text.contains("maxrss:") && text.contains("nvcsw:") && !text.contains("__property_names"),
        "{text}"
    );
    assert_eq!(temci_result::metric_of_property("__ov-time"), "__ov-time");
    assert_eq!(temci_result::metric_of_property("maxrss"), "peak_memory");
}

/// A file that is truncated anywhere, or has any byte replaced, is read or refused without a panic.
#[test]
fn damage_anywhere_is_survived() {
    let whole = "run: {runs: 3, max_time: 1h 2min, runs_per_tag: {a: 1},\n  exec_misc: {preset: all},\n  exec_plugins: \
                 {nice_active: true, nice_misc: {nice: x}, exec_active: [sleep]}}\nreport: {in: [a, b], csv_misc: \
                 {columns: ['a,b[mean]']}}\nstats: {uncertainty_range: [0.1, 0.2]}\n";
    let mut refused = 0;
    for end in 0..whole.len() {
        let cut = &whole.as_bytes()[..end];
        refused += usize::from(temci_settings::read(&Memory { name: "cut", bytes: cut }).is_err());
        for byte in [b'\0', b'[', b'}', b'-', b'\n', 0xff] {
            let mut bytes = whole.as_bytes().to_vec();
            bytes[end] = byte;
            refused += usize::from(temci_settings::read(&Memory { name: "hit", bytes: &bytes }).is_err());
        }
    }
    assert!(refused > 100, "{refused}: broken YAML is an error, not an empty file");
}
