//! Costs by thread.

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions, scope};

/// The profiles of all threads in one file, as callgrind writes them with `--combine-dumps=yes`.
fn crew() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crew.callgrind");
    let parts = ["01", "02", "03"]
        .map(|number| std::fs::read_to_string(fixture(&format!("profile/crew.callgrind-{number}"))).unwrap());
    std::fs::write(&path, parts.join("\n")).unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

fn value(row: &Value) -> f64 {
    row["costs"][0]["self"]["value"].as_f64().unwrap()
}

/// Groups add up to the whole, and are the totals that `lotse profile parts` prints.
#[test]
fn threads_add_up_to_the_whole() {
    let (_folder, crew) = crew();
    let server = Server::start(&[&crew]);
    let about = server.settled(0)["stage"]["about"].clone();
    let groupings = about["profile"]["groupings"].as_array().unwrap();
    assert!(groupings.contains(&json!("thread")), "{groupings:?}");
    let table = server.answer(&functions(&json!({"group": "thread", "events": ["Ir"]})));
    let rows = table["rows"].as_array().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["profile", "parts", &crew, "--json"])
        .current_dir(fixture(""))
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let parts = printed["parts"].as_array().unwrap();
    let mut of_parts: Vec<f64> = parts
        .iter()
        .filter(|part| part["chosen"] == true)
        .map(|part| part["totals"][0].as_f64().unwrap())
        .collect();
    let mut shown: Vec<f64> = rows.iter().map(value).collect();
    of_parts.sort_by(f64::total_cmp);
    shown.sort_by(f64::total_cmp);
    assert!(shown.len() > 1, "{rows:?}");
    assert_eq!(shown, of_parts);
    let shares: f64 = rows.iter().map(|row| row["costs"][0]["self"]["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
}

/// The functions of a thread add up to the thread.
#[test]
fn a_thread_lists_its_functions() {
    let (_folder, crew) = crew();
    let server = Server::start(&[&crew]);
    let table = server.answer(&functions(&json!({"group": "thread", "events": ["Ir"]})));
    for thread in table["rows"].as_array().unwrap() {
        let within =
            json!({"within": {"group": "thread", "name": thread["name"]}, "events": ["Ir"], "limit": 2000});
        let own = server.answer(&functions(&within));
        let sum: f64 = own["rows"].as_array().unwrap().iter().map(value).sum();
        assert_eq!(sum, value(thread), "{}", thread["name"]);
        assert!(own["remarks"].to_string().contains("shares are of its total"), "{}", own["remarks"]);
    }
    let unknown = functions(&json!({"within": {"group": "thread", "name": "thread 99"}}));
    assert_eq!(server.ask(&unknown).status, 422);
}

/// With a filter the groups still add up to what is left.
#[test]
fn threads_of_selected_samples_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.txt");
    let sample = |thread: u32, functions: &[&str]| {
        let frames: String = functions.iter().map(|name| format!("\t    1000 {name} (/bin/a)\n")).collect();
        format!("a  7/{thread} 1.0: 10 cycles:\n{frames}\n")
    };
    let text = [sample(7, &["f", "main"]), sample(8, &["g", "main"]), sample(8, &["f", "main"])].concat();
    std::fs::write(&file, text).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let grouped = |focus: Value| {
        let mut filtered = scope();
        filtered["focus"] = focus;
        server.answer(&functions(&json!({"group": "thread", "scope": filtered})))
    };
    let costs = |table: &Value| -> Vec<(String, f64)> {
        let rows = table["rows"].as_array().unwrap().iter();
        rows.map(|row| (row["name"].as_str().unwrap().to_owned(), value(row))).collect()
    };
    let all = costs(&grouped(Value::Null));
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(all.iter().map(|(_, cost)| cost).sum::<f64>(), 30.0);
    let only_g = costs(&grouped(json!("g")));
    assert_eq!(only_g.iter().map(|(_, cost)| cost).sum::<f64>(), 10.0, "{only_g:?}");
    assert!(only_g[0].0.contains('8'), "{only_g:?}");
}

#[test]
fn a_file_without_threads_is_refused_with_its_reason() {
    let server = Server::start(&["profile/words.massif"]);
    let about = server.settled(0)["stage"]["about"].clone();
    assert!(!about["profile"]["groupings"].as_array().unwrap().contains(&json!("thread")));
    let refused = server.ask(&functions(&json!({"group": "thread"})));
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("does not say which thread"), "{}", refused.body);
}

/// Threads of one name are told apart in the menu of parts, and the command line lists and takes the same names.
#[test]
fn threads_of_one_name_have_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.txt");
    let sample = |thread: u32| format!("xz  4711/{thread} 1.0: 10 cycles:\n\t    1000 f (/bin/xz)\n\n");
    std::fs::write(&file, sample(4711) + &sample(4712)).unwrap();
    let names = |parts: &Value| -> Vec<Value> {
        parts.as_array().unwrap().iter().map(|part| part["name"].clone()).collect()
    };
    let server = Server::start(&[file.to_str().unwrap()]);
    let about = server.settled(0)["stage"]["about"].clone();
    assert_eq!(names(&about["profile"]["parts"]), ["xz (tid 4711)", "xz (tid 4712)"]);
    let chosen = |name: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"))
            .args(["profile", "parts", file.to_str().unwrap(), "--json", "--parts", name])
            .output()
            .unwrap();
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let chosen =
            printed["parts"].as_array().unwrap().iter().filter(|part| part["chosen"] == true).count();
        (names(&printed["parts"]), chosen)
    };
    assert_eq!(chosen("xz (tid 4712)"), (names(&about["profile"]["parts"]), 1));
    assert_eq!(chosen("xz").1, 2);
}
