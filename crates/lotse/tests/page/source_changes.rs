//! The source of two profiles, line beside line; sorting and totals of both sides.

use serde_json::{Value, json};

use crate::server::{Server, functions, scope};

/// Two versions of a source with a callgrind profile each: `f` has one line more, and one less.
fn opened(keep_old_source: bool) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let version = |name: &str, text: &str, costs: &[(u32, u32)]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("a.c"), text).unwrap();
        let lines: String =
            costs.iter().map(|(line, cost)| format!("{line} {cost} {}\n", cost / 10)).collect();
        let profile = format!(
            "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\n\nfl={}\nfn=f\n{lines}\n",
            path.join("a.c").display()
        );
        std::fs::write(path.join("profile"), profile).unwrap();
        path.join("profile").to_str().unwrap().to_owned()
    };
    let old = version("old", "int f() {\n  slow();\n  same();\n  end();\n}\n", &[(2, 500), (3, 70), (4, 10)]);
    let new = version(
        "new",
        "int f() {\n  fast();\n  faster();\n  same();\n  end();\n}\n",
        &[(2, 40), (3, 30), (4, 60), (5, 10)],
    );
    if !keep_old_source {
        std::fs::remove_file(folder.path().join("old/a.c")).unwrap();
    }
    let server = Server::start(&["--compare", &old, &new]);
    (folder, server)
}

fn source(server: &Server, side: &Value) -> Value {
    let mut scope = scope();
    scope["side"] = side.clone();
    let table = server.answer(&functions(&json!({})));
    let function = table["rows"][0]["function"]["id"].clone();
    server.answer(&json!({"ask": "source", "scope": scope, "function": function, "events": ["Ir"], "instructions": false}))
}

/// Old line, new line, old cost, new cost of each row with a cost.
fn rows(source: &Value) -> Vec<(Option<u64>, Option<u64>, f64, f64)> {
    let files = source["files"].as_array().unwrap().iter();
    let lines = files.flat_map(|file| file["lines"].as_array().unwrap());
    let row = |line: &Value| {
        let old = line["changes"][0]["old"]["value"].as_f64().unwrap();
        (line["old_line"].as_u64(), line["line"].as_u64(), old, line["self"][0]["value"].as_f64().unwrap())
    };
    lines.map(row).filter(|row| row.2 != 0.0 || row.3 != 0.0).collect()
}

#[test]
fn lines_that_are_the_same_stand_beside_each_other() {
    let (_folder, server) = opened(true);
    for side in [json!("difference"), Value::Null] {
        let shown = source(&server, &side);
        assert_eq!(
            rows(&shown),
            [
                (Some(2), None, 500.0, 0.0),
                (None, Some(2), 0.0, 40.0),
                (None, Some(3), 0.0, 30.0),
                (Some(3), Some(4), 70.0, 60.0),
                (Some(4), Some(5), 10.0, 10.0),
            ]
        );
        let lines = shown["files"][0]["lines"].as_array().unwrap();
        let statuses: Vec<&str> = lines.iter().map(|line| line["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["both", "removed", "added", "added", "both", "both", "both"]);
        assert_eq!(lines[1]["text"], "  slow();");
        assert_eq!(shown["events"][0]["old_total"], "580");
    }
}

/// The sides for themselves have the costs and lines of one profile.
#[test]
fn no_cost_is_lost() {
    let (_folder, server) = opened(true);
    let both = rows(&source(&server, &Value::Null));
    for (side, pick) in [("old", 0), ("new", 1)] {
        let one = source(&server, &json!(side));
        let lines = one["files"][0]["lines"].as_array().unwrap();
        let sum: f64 = lines.iter().map(|line| line["self"][0]["value"].as_f64().unwrap()).sum();
        let together: f64 = both.iter().map(|row| if pick == 0 { row.2 } else { row.3 }).sum();
        assert_eq!(sum, together, "{side}");
    }
}

/// Without the old text lines are aligned by number, which is said.
#[test]
fn a_missing_source_is_said() {
    let (_folder, server) = opened(false);
    let shown = source(&server, &Value::Null);
    let remarks = shown["remarks"].to_string();
    assert!(remarks.contains("the old source") && remarks.contains("is missing"), "{remarks}");
    let rows = rows(&shown);
    assert_eq!(rows[0], (Some(2), Some(2), 500.0, 40.0));
    assert_eq!(rows.iter().map(|row| row.2).sum::<f64>(), 580.0, "no cost is lost");
    assert_eq!(rows.iter().map(|row| row.3).sum::<f64>(), 140.0);
}

#[test]
fn functions_are_sorted_by_old_and_new_costs() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = (file("old", "m;a 500\nm;b 300\nm;c 1\n"), file("new", "m;a 20\nm;b 300\nm;c 900\n"));
    let server = Server::start(&["--compare", &old, &new]);
    let order = |changes: Value| -> String {
        let table = server.answer(&functions(&changes));
        let names = table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
        names.collect::<Vec<_>>().concat()
    };
    assert_eq!(order(json!({"sort": "old"})), "abcm");
    assert_eq!(order(json!({"sort": "old", "ascending": true})), "mcba");
    assert_eq!(order(json!({"sort": "self"})), "cbam");
    assert_eq!(order(json!({"sort": "old", "inclusive": true})), "mabc");
    assert_eq!(order(json!({"sort": "inclusive"})), "mcba");
    assert_eq!(&order(json!({"sort": "difference", "inclusive": true}))[..1], "c");
}

#[test]
fn own_event_types_have_both_totals() {
    let (_folder, server) = opened(true);
    let about = server.settled(0)["stage"]["about"].clone();
    let first = &about["profile"]["events"][0];
    assert_eq!((&first["old_total"], &first["total"]), (&json!("580"), &json!("140")));
    let check = |definition: &str| {
        server.answer(&json!({"ask": "event", "scope": scope(), "definition": definition}))
    };
    let event = check("Sum = Ir + 10 Dr")["event"].clone();
    assert_eq!((&event["old_total"], &event["total"]), (&json!("1,160"), &json!("280")));
    assert!(check("Sum = Ir + Nothing")["problem"]["message"].as_str().unwrap().contains("Nothing"));
}
