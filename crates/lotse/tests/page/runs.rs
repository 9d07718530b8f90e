//! The runs of a measurement, and selections of them.

use serde_json::{Value, json};

use crate::server::Server;

/// A result of two programs with 20 runs each.
pub(crate) fn opened() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("result.json");
    let run = |name: &str, times: &[f64]| json!({"command": name, "mean": 1.0, "times": times, "exit_codes": vec![0; times.len()]});
    let slow: Vec<f64> = (0..20).map(|number| 1.0 + f64::from(number % 5) * 0.001).collect();
    let fast: Vec<f64> = slow.iter().map(|time| time / 2.0).collect();
    std::fs::write(&file, json!({"results": [run("old", &slow), run("new", &fast)]}).to_string()).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    (folder, server)
}

/// The statistics of all runs are those of the command line.
#[test]
fn runs_have_their_values_and_the_statistics_of_the_report() {
    let (folder, server) = opened();
    let answer = server.answer(&json!({"ask": "runs", "metric": null, "selection": null}));
    let runs = answer["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 40);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["bench", "report", "result.json", "--json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (index, program) in printed["programs"].as_array().unwrap().iter().enumerate() {
        assert_eq!(answer["programs"][index], program["name"]);
        let metric = answer["metric"].as_str().unwrap();
        let own = runs.iter().filter(|run| run["program"] == index).map(|run| run["value"].clone());
        assert_eq!(Value::Array(own.collect()), program["samples"][metric], "{metric}");
        let row = &answer["all"]["rows"][index];
        let values: Vec<f64> =
            program["samples"][metric].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!((row[2]["value"].as_f64().unwrap() - mean).abs() < 1e-12, "{row}");
    }
    let places: Vec<(u64, u64)> = printed["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (run["block"].as_u64().unwrap() + 1, run["position"].as_u64().unwrap() + 1))
        .collect();
    let shown: Vec<(u64, u64)> =
        runs.iter().map(|run| (run["round"].as_u64().unwrap(), run["place"].as_u64().unwrap())).collect();
    assert_eq!(shown, places);
}

#[test]
fn a_selection_has_statistics_and_no_verdict() {
    let (_folder, server) = opened();
    let ask = |selection: Value| json!({"ask": "runs", "metric": "wall", "selection": selection});
    let answer = server.answer(&ask(json!({"first": 1, "last": 4, "low": null, "high": null})));
    let marked = answer["runs"].as_array().unwrap().iter().filter(|run| run["selected"] == true).count();
    assert_eq!(marked, 4);
    let caption = answer["selected"]["caption"].as_str().unwrap();
    assert!(caption.starts_with("Selection: 4 of 40 runs") && caption.contains("no verdict"), "{caption}");
    // The same runs in the plot of another metric: the bounds are those of the metric in whose plot they were marked.
    let slow = json!({"first": 1, "last": 40, "low": 0.9, "high": null, "metric": "wall"});
    let marked = |answer: &Value| -> Vec<bool> {
        answer["runs"].as_array().unwrap().iter().map(|run| run["selected"] == true).collect()
    };
    let shown = server.answer(&ask(slow.clone()));
    assert_eq!(marked(&shown).iter().filter(|selected| **selected).count(), 20);
    for metric in shown["metrics"].as_array().unwrap() {
        let other = server.answer(&json!({"ask": "runs", "metric": metric, "selection": slow}));
        assert_eq!(marked(&other), marked(&shown), "{metric}");
    }
    let unknown = json!({"first": 1, "last": 4, "low": null, "high": null, "metric": "no such"});
    assert_eq!(server.ask(&ask(unknown)).status, 422);
    let none = server.ask(&ask(json!({"first": 4, "last": 1, "low": null, "high": null})));
    assert_eq!(none.status, 422);
    assert_eq!(server.ask(&json!({"ask": "runs", "metric": "no such", "selection": null})).status, 422);
}

/// A finding about runs names them, so that the page can mark them; others lead to the picture of the verdicts.
#[test]
fn findings_lead_to_their_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("result.json");
    let far = |number: usize| if [3, 11, 17].contains(&number) { 2.0 } else { 1.0 };
    let times: Vec<f64> = (0..20).map(|number| far(number) + (number % 5) as f64 * 0.001).collect();
    let run = json!({"command": "far", "mean": 1.0, "times": times, "exit_codes": vec![0; 20]});
    std::fs::write(&file, json!({"results": [run]}).to_string()).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let state = server.settled(0);
    let findings = state["stage"]["about"]["findings"].as_array().unwrap().clone();
    let outliers = findings.iter().find(|it| it["rule"] == "bench-outliers").expect("{findings:?}");
    let runs = server.answer(&json!({"ask": "runs", "metric": null, "selection": null}))["runs"].clone();
    let numbers: Vec<&Value> = runs
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["value"].as_f64().unwrap() > 1.5)
        .map(|run| &run["number"])
        .collect();
    assert_eq!(numbers.len(), 3);
    assert_eq!(outliers["runs"].as_array().unwrap().iter().collect::<Vec<_>>(), numbers);
    assert_eq!(outliers["figure"], Value::Null);
}
