//! Questions about places of a trace: lanes, moments, windows, waits.

use serde_json::{Value, json};

use crate::server::{Server, fixture};

const TRACE: &str = "trace/heat-4";

fn analysed(trace: &str) -> Value {
    let lotse = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output =
        { lotse }.args(["trace", "analyze", trace, "--json"]).current_dir(fixture("")).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn statistics(
    of: &str,
    window: (Option<f64>, Option<f64>),
    location: Option<u32>,
    row: Option<&str>,
) -> Value {
    json!({"ask": "statistics", "from": window.0, "to": window.1, "of": of, "location": location, "row": row})
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap()
}

fn seconds(row: &Value) -> f64 {
    row["time"]["value"].as_f64().unwrap()
}

/// Kinds of waiting and classes of time in the whole run are those of the command line.
#[test]
fn statistics_of_the_whole_run_are_those_of_the_command_line() {
    let server = Server::start(&[TRACE]);
    let answer = analysed(TRACE);
    let waits = server.answer(&statistics("waits", (None, None), None, None));
    assert!(!list(&waits, "rows").is_empty());
    for row in list(&waits, "rows") {
        let of_metric = |it: &&Value| it["metric"] == row["id"];
        let printed = list(&answer, "corrected_severities").iter().filter(of_metric);
        let sum: f64 = printed.map(|it| it["seconds"].as_f64().unwrap()).sum();
        assert!((sum - seconds(row)).abs() < 1e-9, "{row}: {sum}");
    }
    let regions = server.answer(&statistics("regions", (None, None), None, None));
    let total: f64 = list(&regions, "rows").iter().map(seconds).sum();
    assert!((total - regions["whole"]["value"].as_f64().unwrap()).abs() < 1e-9);
}

/// The parts of a run add up to it, for each region and location.
#[test]
fn windows_add_up_to_the_run() {
    let server = Server::start(&[TRACE]);
    let runtime = server.settled(0)["stage"]["about"]["trace"]["runtime"].as_f64().unwrap();
    let border = runtime * 0.4;
    for location in [None, Some(1)] {
        let ask = |from, to| server.answer(&statistics("regions", (from, to), location, None));
        let [whole, first, second] = [ask(None, None), ask(None, Some(border)), ask(Some(border), None)];
        for row in list(&whole, "rows") {
            let part = |table: &Value| {
                let found = list(table, "rows").iter().find(|it| it["id"] == row["id"]);
                found.map_or(0.0, seconds)
            };
            assert!((part(&first) + part(&second) - seconds(row)).abs() < 1e-9, "{row}");
        }
    }
    let whole = server.answer(&statistics("regions", (None, None), None, None));
    let row = &list(&whole, "rows")[0];
    let by_location = server.answer(&statistics("regions", (None, None), None, row["id"].as_str()));
    let sum: f64 = list(&by_location, "rows").iter().map(seconds).sum();
    assert!((sum - seconds(row)).abs() < 1e-9);
    for wrong in [
        statistics("regions", (Some(9e9), None), None, None),
        statistics("waits", (None, None), Some(99), None),
    ] {
        assert_eq!(server.ask(&wrong).status, 422, "{wrong}");
    }
}

/// The time-line, the call stack and the jump agree about a wait.
#[test]
fn waits_are_visited_in_the_order_of_time_and_have_call_stacks() {
    let server = Server::start(&[TRACE]);
    let mut from = (json!(0.0), Value::Null, Value::Null);
    let mut last = (-1.0, 0);
    let mut visited = 0;
    loop {
        let question = json!({"ask": "next_wait", "begin": from.0, "end": from.1, "at": from.2, "backward": false,
            "location": null, "metric": null, "least": 0.0});
        let answer = server.answer(&question);
        let wait = &answer["wait"];
        if wait.is_null() {
            break;
        }
        visited += 1;
        assert_eq!(answer["number"], visited);
        let bar = &wait["bar"];
        let place = (bar["begin"].as_f64().unwrap(), bar["location"].as_u64().unwrap());
        assert!(place >= last, "{place:?} after {last:?}");
        let middle = f64::midpoint(place.0, bar["end"].as_f64().unwrap());
        let moment = server.answer(&json!({"ask": "moment", "location": bar["location"], "at": middle}));
        let path: Vec<&str> =
            list(&moment, "stack").iter().map(|call| call["name"].as_str().unwrap()).collect();
        assert_eq!(path.join("/"), wait["path"].as_str().unwrap());
        assert!(list(&moment, "waits").iter().any(|it| it["begin"] == wait["begin"]), "{moment}");
        (from, last) = ((bar["begin"].clone(), bar["end"].clone(), bar["location"].clone()), place);
        if visited == 40 {
            break;
        }
    }
    assert!(visited > 3);
    assert_eq!(server.ask(&json!({"ask": "moment", "location": 99, "at": 0.0})).status, 422);
}

/// Lanes that are asked for alone are those of the whole picture; merged lanes hold all locations.
#[test]
fn some_lanes_are_those_of_all() {
    let server = Server::start(&[TRACE]);
    let ask = |first: usize, lanes: usize, merge: bool| {
        server.answer(&json!({"ask": "timeline", "from": null, "to": null, "columns": 500, "lanes": lanes,
            "first_lane": first, "merge": merge}))
    };
    let (all, some, merged, none) = (ask(0, 64, false), ask(1, 2, false), ask(0, 2, true), ask(50, 4, false));
    assert_eq!((&some["lane_count"], &some["first_lane"]), (&json!(4), &json!(1)));
    for (lane, whole) in list(&some, "lanes").iter().zip(&list(&all, "lanes")[1..3]) {
        assert_eq!(
            (&lane["name"], &lane["from"], &lane["waits"]),
            (&whole["name"], &whole["from"], &whole["waits"])
        );
    }
    assert_eq!(list(&merged, "lanes").iter().map(|lane| list(lane, "locations").len()).sum::<usize>(), 4);
    assert!(list(&none, "lanes").is_empty());
}

/// A finding outlines the wait that it is about.
#[test]
fn a_finding_has_a_bar_inside_its_window() {
    let server = Server::start(&[TRACE]);
    let about = server.settled(0)["stage"]["about"].clone();
    let finding = list(&about, "findings").iter().find(|finding| finding["window"].is_array()).unwrap();
    let (window, bar) = (&finding["window"], &finding["bar"]);
    let at = |value: &Value| value.as_f64().unwrap();
    assert!(at(&window[0]) <= at(&bar["begin"]) && at(&bar["begin"]) < at(&bar["end"]));
    assert!(at(&bar["end"]) <= at(&window[1]));
}

/// The parent of a trace is no trace, whatever other files are in it; the reason names the trace.
#[test]
fn the_parent_folder_of_a_trace_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let copied = folder.path().join("run");
    std::fs::create_dir_all(copied.join("traces")).unwrap();
    for name in ["traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"] {
        std::fs::copy(fixture(TRACE).join(name), copied.join(name)).unwrap();
    }
    for (name, text) in [("package.json", r#"{"name": "x"}"#), ("z.json", "[1, 2]")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let server = Server::start(&[folder.path().to_str().unwrap()]);
    let state = server.settled(0);
    assert_eq!(state["stage"]["stage"], "failed", "{state}");
    let message = state["stage"]["problem"]["message"].as_str().unwrap();
    assert!(message.contains("run/traces.otf2"), "{message}");
    let lotse = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output = { lotse }.args(["trace", "analyze"]).arg(folder.path()).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("run/traces.otf2"));
}

/// What is outlined for a finding lies on the location and in the time that it is about: the place that waits is named last, the
/// place of other findings is named alone.
#[test]
fn findings_outline_the_location_that_they_name() {
    let server = Server::start(&[TRACE]);
    let about = &server.settled(0)["stage"]["about"];
    let (shown, printed) = (list(about, "findings"), analysed(TRACE));
    let printed = list(&printed, "findings");
    assert_eq!(shown.len(), printed.len());
    let mut compared = 0;
    for (row, finding) in shown.iter().zip(printed) {
        let Some(process) = list(finding, "sites").last().and_then(|site| site["process"].as_str()) else {
            continue;
        };
        let bar = &row["bar"];
        let location = bar["location"].as_u64().unwrap_or_else(|| panic!("nothing is outlined: {row}"));
        assert_eq!(about["trace"]["locations"][location as usize], process, "{row}");
        compared += 1;
    }
    assert!(compared > 0, "{printed:#?}");
}

/// Times that were not recorded so are marked: the receiver's clock is early by more than the message takes.
#[test]
fn corrected_clocks_are_stated() {
    let stated = |path: &str| {
        let server = Server::start(&[path]);
        let about = server.settled(0)["stage"]["about"].clone();
        about["remarks"].to_string().contains("by the corrected clocks")
    };
    assert!(!stated(TRACE));
    let Some(folder) = test_support::shared("fixtures/trace/synthetic") else { return };
    assert!(stated(folder.join("02_late_sender_clock_violation").to_str().unwrap()));
}

/// Waits of one kind in an analysis: all of their time, and the part that the clocks leave in doubt.
fn waited(answer: &Value, metric: &Value) -> (f64, f64) {
    let rows = list(answer, "corrected_severities").iter().filter(|row| row["metric"] == *metric);
    rows.fold((0.0, 0.0), |(all, doubtful), row| {
        (all + row["seconds"].as_f64().unwrap(), doubtful + row["uncertain"].as_f64().unwrap_or(0.0))
    })
}

/// Waits shorter than the uncertainty of the clocks have the mark of the trace report in every table of the page.
#[test]
fn doubtful_waits_are_marked_as_in_the_report() {
    let Some(folder) = test_support::shared("fixtures/trace/synthetic") else { return };
    let mut marked = 0;
    for name in ["02_late_sender_clock_violation", "19_clock_offset"] {
        let path = folder.join(name);
        let (answer, server) = (analysed(path.to_str().unwrap()), Server::start(&[path.to_str().unwrap()]));
        let metrics = server.settled(0)["stage"]["about"]["trace"]["metrics"].clone();
        let rows = server.answer(&statistics("waits", (None, None), None, None));
        for metric in metrics.as_array().unwrap() {
            let (all, doubtful) = waited(&answer, &metric["name"]);
            let is_doubtful = 2.0 * doubtful > all;
            let paths = server.answer(&json!({"ask": "call_paths", "metric": metric["name"]}));
            let row = list(&rows, "rows").iter().find(|row| row["id"] == metric["name"]).unwrap();
            let marks = [
                &metric["total"],
                &paths["metric"]["total"],
                &list(&paths, "rows")[0]["inclusive"],
                &row["time"],
            ];
            for amount in marks {
                assert_eq!(amount["mark"] == "≈", is_doubtful, "{name}: {amount}");
            }
            marked += usize::from(is_doubtful);
        }
        let window = json!({"ask": "timeline", "from": null, "to": null, "columns": 100, "lanes": 9,
            "first_lane": 0, "merge": false, "table": true});
        let waits = server.answer(&window)["table"]["waits"].clone();
        assert!(waits.as_array().unwrap().iter().any(|wait| wait["mark"] == "≈"), "{name}: {waits}");
    }
    assert_eq!(marked, 1, "the waits of the second trace are mostly certain");
}
