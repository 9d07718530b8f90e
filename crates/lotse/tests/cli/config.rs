//! `lotse config` and the files behind it.

use serde_json::Value;

use crate::session::{Session, list, texts};

fn setting(answer: &Value, key: &str) -> Value {
    let found = list(&answer["settings"]).iter().find(|setting| setting["key"] == key);
    found.unwrap_or_else(|| panic!("no {key}")).clone()
}

fn config(session: &Session) -> Value {
    session.lotse(&["config", "--json"]).exits(0).json()
}

#[test]
fn without_files_everything_is_a_default() {
    let answer = config(&Session::new());
    assert_eq!(answer["schema"], "lotse.config/1");
    let origins = texts(&answer["settings"], "origin");
    assert!(origins.iter().all(|origin| *origin == "default"), "{origins:?}");
    assert_eq!(setting(&answer, "bench.delta")["value"], "1%");
}

#[test]
fn names_of_settings_are_never_broken() {
    let session = Session::new();
    let table = session.lotse(&["config"]).exits(0).stdout;
    for key in texts(&config(&session)["settings"], "key") {
        assert!(table.lines().any(|line| line.starts_with(&format!("{key} "))), "no {key} in\n{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn thresholds_of_all_rules_are_there() {
    let session = Session::new();
    let answer = config(&session);
    let keys = texts(&answer["settings"], "key");
    for rule in list(&session.lotse(&["explain", "--json"]).exits(0).json()) {
        for threshold in list(&rule["thresholds"]) {
            let key =
                format!("rules.{}.{}", rule["id"].as_str().unwrap(), threshold["name"].as_str().unwrap());
            assert!(keys.contains(&key.as_str()), "no {key}");
        }
    }
}

#[test]
fn the_project_wins_over_the_user() {
    let session = Session::new();
    session.write_config("lotse/lotse.toml", "[bench]\nbudget = \"3s\"\ndelta = \"3%\"\n");
    session.write("lotse.toml", "[bench]\ndelta = \"0.5%\"\n");
    let answer = config(&session);
    let (budget, delta) = (setting(&answer, "bench.budget"), setting(&answer, "bench.delta"));
    assert_eq!((&budget["value"], &delta["value"]), (&"3s".into(), &"0.5%".into()));
    assert!(budget["origin"].as_str().unwrap().ends_with(".config/lotse/lotse.toml"), "{budget}");
    assert!(delta["origin"].as_str().unwrap().ends_with("work/lotse.toml"), "{delta}");
    session.lotse(&["config"]).exits(0).says("0.5%").says("work/lotse.toml");
}

#[test]
fn the_user_s_directory_may_be_elsewhere() {
    let session = Session::new();
    session.write("elsewhere/lotse/lotse.toml", "[bench]\nwarmup = 7\n");
    let mut command = session.command(&["config", "--json"]);
    let output = command.env("XDG_CONFIG_HOME", session.file("elsewhere")).output().unwrap();
    let answer = crate::session::Answer::from_output(output).exits(0).json();
    assert_eq!(setting(&answer, "bench.warmup")["value"], "7");
}

#[test]
fn a_project_is_found_from_below() {
    let session = Session::new();
    session.write("lotse.toml", "[bench]\nmin-runs = 4\n").write("src/deep/x", "");
    let output =
        session.command(&["config", "--json"]).current_dir(session.file("src/deep")).output().unwrap();
    let answer = crate::session::Answer::from_output(output).exits(0).json();
    assert_eq!(setting(&answer, "bench.min-runs")["value"], "4");
}

#[test]
fn settings_reach_the_measurement_and_the_command_line_wins() {
    let session = Session::new();
    session.write("lotse.toml", "[bench]\ndelta = \"5%\"\nlevel = \"90%\"\nwarmup = 2\n");
    session.script("count", "echo run >> runs");
    let answer = session.bench(&["--runs", "2", "./count", "true"]);
    let comparison = &answer["comparisons"][0];
    assert_eq!(comparison["delta"], 0.05);
    assert!((comparison["level"].as_f64().unwrap() - 0.9).abs() < 1e-12);
    assert_eq!(session.lines("runs").len(), 4);
    let answer = session.bench(&["--runs", "2", "--warmup", "0", "--delta", "2%", "./count", "true"]);
    assert_eq!(answer["comparisons"][0]["delta"], 0.02);
    assert_eq!(session.lines("runs").len(), 6);
}

#[test]
fn a_misspelt_key_is_named_with_its_file_and_line() {
    let session = Session::new();
    session.write("lotse.toml", "# settings\n[bench]\ndelat = \"1%\"\n");
    for args in [&["config"][..], &["bench", "--runs", "2", "true"]] {
        let answer = session.lotse(args).exits(6);
        let expected = "lotse.toml: line 3: there is no setting bench.delat; 'lotse config' lists them\n";
        assert!(answer.stderr.ends_with(expected), "{}", answer.stderr);
    }
}

#[test]
fn a_value_that_makes_no_sense_is_named_with_its_file() {
    let session = Session::new();
    session.write("lotse.toml", "[bench]\ndelta = \"a bit\"\n");
    let answer = session.lotse(&["bench", "--runs", "2", "true"]);
    assert_ne!(answer.status, 0);
    answer.complains("lotse.toml").complains("bench.delta").complains("'a bit' is not a share");
}

#[test]
fn a_threshold_reaches_its_rule() {
    let session = Session::new();
    let too_few = || {
        let answer = session.bench(&["--runs", "3", "true", "true"]);
        list(&answer["findings"]).iter().any(|finding| finding["rule"]["id"] == "bench-too-few-runs")
    };
    assert!(too_few());
    let rule = session.lotse(&["explain", "bench-too-few-runs", "--json"]).exits(0).json();
    let lowered: Vec<String> =
        texts(&rule["thresholds"], "name").iter().map(|name| format!("{name} = 1")).collect();
    session.write("lotse.toml", &format!("[rules.bench-too-few-runs]\n{}\n", lowered.join("\n")));
    assert!(!too_few());
}

#[test]
fn a_runner_that_does_not_exist_is_traced_to_its_file() {
    let session = Session::new();
    session.write("lotse.toml", "[bench]\nrunner = \"bogus\"\n");
    session.lotse(&["bench", "--runs", "2", "true"]).complains("lotse.toml").complains("bogus");
}
