//! `lotse export`: one file that needs no server.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::server::fixture;

pub(crate) fn export(args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
    command.arg("export").args(args).env("XDG_CACHE_HOME", folder).current_dir(folder).output().unwrap()
}

/// The data in a page.
pub(crate) fn data(page: &Path) -> Value {
    let html = std::fs::read_to_string(page).unwrap();
    let (_, rest) = html.split_once("id=\"lotse-export\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_profile_has_its_tables_pictures_and_sources() {
    let folder = tempfile::tempdir().unwrap();
    let profile = fixture("profile/words-list.callgrind");
    let output = export(&[profile.to_str().unwrap()], folder.path());
    assert!(output.status.success(), "{output:?}");
    let data = data(&folder.path().join("words-list.callgrind.html"));
    let answers = data["answers"].as_object().unwrap();
    for key in
        ["functions|self|-", "functions|inclusive|object", "flame|callees|-", "treemap|callers|-", "graph|-"]
    {
        assert!(answers.contains_key(key), "{key}");
    }
    let first = &answers["functions|self|-"]["rows"][0]["function"]["id"];
    for kind in ["calls", "source", "graph"] {
        assert!(answers.contains_key(&format!("{kind}|{first}")), "{kind}");
    }
    let about = &data["session"]["documents"][0]["stage"]["about"];
    assert!(!about["findings"].as_array().unwrap().is_empty());
    assert!(about["findings"][0]["explanation"].as_str().unwrap().contains("What to do"));
}

/// Nothing is loaded from elsewhere, and names cannot end the data or the script.
#[test]
fn the_page_is_complete_and_hostile_names_stay_inside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.folded");
    std::fs::write(&file, "main;</script><script>alert(1)</script> 5\nmain;<!-- 3\n").unwrap();
    let page = folder.path().join("page.html");
    let output = export(&[file.to_str().unwrap(), "-o", page.to_str().unwrap()], folder.path());
    assert!(output.status.success(), "{output:?}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(!html.contains("<script>alert"));
    assert!(!html.contains("<!-- 3"));
    for attribute in ["src=\"/", "href=\"/", "http://", "https://"] {
        let head = html.split_once("<style>").unwrap().0;
        assert!(!head.contains(attribute), "{attribute}");
    }
    let rows = data(&page)["answers"]["functions|self|-"]["rows"].clone();
    assert_eq!(rows[0]["name"], "</script><script>alert(1)</script>");
}

#[test]
fn traces_and_comparisons_are_exported_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| fixture(name).to_str().unwrap().to_owned();
    let page = folder.path().join("p.html");
    let out = page.to_str().unwrap();
    assert!(export(&[&path("trace/heat-4"), "-o", out], folder.path()).status.success());
    let trace = data(&page);
    assert!(trace["answers"]["timeline"]["lanes"].as_array().unwrap().len() > 1);
    assert!(trace["answers"].as_object().unwrap().keys().any(|key| key.starts_with("call_paths|")));
    let (old, new) = (path("profile/words-list.callgrind"), path("profile/words-table.callgrind"));
    assert!(export(&["--compare", &old, &new, "-o", out], folder.path()).status.success());
    let change =
        data(&page)["answers"]["functions|difference|-"]["rows"][0]["costs"][0]["self_change"].clone();
    assert!(change["difference"]["value"].as_f64().unwrap() < 0.0);
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let profile = fixture("profile/words-list.callgrind");
    let profile = profile.to_str().unwrap();
    for (args, status, text) in [
        (vec![profile, profile], 2, "--compare"),
        (vec!["--compare", profile], 2, "two profiles"),
        (vec!["/no/such/file"], 6, "/no/such/file"),
        (vec![], 2, "FILE"),
    ] {
        let output = export(&args, folder.path());
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(text), "{args:?}: {output:?}");
    }
}

/// Runs of a measurement, and both sides of a comparison's tables and sources, are in the file.
#[test]
fn runs_and_comparisons_are_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| serde_json::json!({"command": name, "mean": 1.0, "times": [1.0, 1.1, 1.2]});
    let result = serde_json::json!({"results": [run("a"), run("b")]}).to_string();
    std::fs::write(folder.path().join("result.json"), result).unwrap();
    assert!(export(&["result.json"], folder.path()).status.success());
    let answers = data(&folder.path().join("result.json.html"))["answers"].clone();
    assert_eq!(answers["runs|-"]["runs"].as_array().unwrap().len(), 6);
    let (old, new) = (fixture("profile/words-list.callgrind"), fixture("profile/words-table.callgrind"));
    let files = ["--compare", old.to_str().unwrap(), new.to_str().unwrap()];
    assert!(export(&files, folder.path()).status.success());
    let answers = data(&folder.path().join("words-table.callgrind.html"))["answers"].clone();
    for key in ["functions|old|-", "functions|difference|-|inclusive"] {
        assert!(answers.get(key).is_some(), "{key}");
    }
    let first = &answers["functions|self|-"]["rows"][0]["function"]["id"];
    assert!(answers[format!("source|{first}")]["files"][0]["lines"][0]["changes"].is_array());
}
