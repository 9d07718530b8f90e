//! Focus, ignore and hide as the page's fields take them: text, or a regular expression between slashes.

use serde_json::{Value, json};

use crate::server::{Server, functions, scope};

/// A folder with files of these names and texts, and their paths.
fn files(texts: &[(&str, &str)]) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = texts.iter().map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let paths = paths.collect();
    (folder, paths)
}

fn scoped(kind: &str, text: &str) -> Value {
    let mut filtered = scope();
    filtered[kind] = json!(text);
    filtered
}

fn names(table: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn slashes_make_a_regular_expression_and_all_else_is_text() {
    let (_folder, paths) = files(&[("a.folded", "main;lookup 3\nmain;look.p 1\nmain;parse 6\n")]);
    let server = Server::start(&[&paths[0]]);
    let ask = |kind: &str, text: &str| server.answer(&functions(&json!({"scope": scoped(kind, text)})));
    assert_eq!(names(&ask("ignore", "/^look.p$/")), ["main", "parse"]);
    assert_eq!(names(&ask("ignore", "look.p")), ["lookup", "main", "parse"]);
    assert_eq!(names(&ask("focus", "/^parse|^lookup/")), ["lookup", "main", "parse"]);
    let refused = server.ask(&functions(&json!({"scope": scoped("focus", "/(/")})));
    assert_eq!(refused.status, 422);
}

#[test]
fn a_field_that_matches_nothing_is_named_first() {
    let (_folder, paths) =
        files(&[("old.folded", "main;lookup 3\nmain;parse 6\n"), ("new.folded", "main;parse 6\n")]);
    let single = Server::start(&[&paths[0]]);
    let table = single.answer(&functions(&json!({"scope": scoped("ignore", "/lookupp/")})));
    let first = "ignore /lookupp/: no function on a stack matches; did you mean lookup?";
    assert_eq!(table["remarks"][0]["message"], first);
    let both = Server::start(&["--compare", &paths[0], &paths[1]]);
    let first = |text: &str| {
        let table = both.answer(&functions(&json!({"scope": scoped("ignore", text), "sort": "difference"})));
        table["remarks"][0]["message"].as_str().unwrap().to_owned()
    };
    assert!(first("xyz").starts_with("old and new: ignore xyz: no function"), "{}", first("xyz"));
    assert!(first("lookup").starts_with("new: ignore lookup: no function"), "{}", first("lookup"));
    let focus = both.answer(&functions(&json!({"scope": scoped("focus", "lookup"), "sort": "difference"})));
    let message = focus["remarks"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("focus lookup matches functions that are only in the old profile"),
        "{message}"
    );
}

/// What a filter leaves is given for both profiles, and estimates are marked as in a single profile.
#[test]
fn a_filtered_comparison_has_both_shares_and_marks_estimates() {
    let profile = |cost: u32| {
        format!("events: Ir\n\nfn=main\n1 2\ncfn=leaf\ncalls=1 1\n1 {cost}\n\nfn=leaf\n1 {cost}\n")
    };
    let (_folder, paths) = files(&[("callgrind.out.1", &profile(2)), ("callgrind.out.2", &profile(6))]);
    let server = Server::start(&["--compare", &paths[0], &paths[1]]);
    let mut filtered = scoped("hide", "nothing-has-this-name");
    filtered["focus"] = json!("leaf");
    filtered["side"] = json!("difference");
    let left = "the filter leaves old 50.0 %, new 75.0 % of the whole (Ir); all shares are of the whole";
    let table =
        server.answer(&functions(&json!({"scope": filtered, "sort": "difference", "events": ["Ir"]})));
    assert!(table["remarks"].to_string().contains(left), "{}", table["remarks"]);
    let leaf = table["rows"].as_array().unwrap().iter().find(|row| row["name"] == "leaf").unwrap();
    let costs = &leaf["costs"][0];
    for amount in [
        &costs["self"],
        &costs["inclusive"],
        &costs["self_change"]["old"],
        &costs["self_change"]["difference"],
        &costs["inclusive_change"]["old"],
    ] {
        assert_eq!(amount["mark"], "≈", "{costs}");
    }
    let whole = server.answer(&functions(&json!({"sort": "difference", "events": ["Ir"]})));
    assert_eq!(whole["rows"][0]["costs"][0]["self"]["mark"], "");
    let flame = json!({"ask": "flame", "scope": filtered, "direction": "callees", "root": null});
    let calls =
        json!({"ask": "calls", "scope": filtered, "function": leaf["function"]["id"], "events": ["Ir"]});
    for question in [flame, calls] {
        let remarks = server.answer(&question)["remarks"].to_string();
        assert!(remarks.contains(left) && remarks.matches("the filter leaves").count() == 1, "{remarks}");
    }
}

/// A picture of what changed is one of the new profile: it says how much of the old one it lacks.
#[test]
fn a_picture_of_the_difference_says_what_is_gone() {
    let (_folder, paths) = files(&[
        ("old.folded", "main;a 300\nmain;b;leaf 500\nmain;b 200\n"),
        ("new.folded", "main;a 200\nmain;c;leaf 100\n"),
    ]);
    let server = Server::start(&["--compare", &paths[0], &paths[1]]);
    let remarks = |ask: &str, side: &str| {
        let mut sided = scope();
        sided["side"] = json!(side);
        let mut question = json!({"ask": ask, "scope": sided, "direction": "callees", "root": null});
        if ask == "treemap" {
            (question["width"], question["height"]) = (json!(300.0), json!(200.0));
        }
        server.answer(&question)["remarks"].to_string()
    };
    for ask in ["flame", "treemap"] {
        let difference = remarks(ask, "difference");
        assert!(difference.contains("gone: 70.0 % of the old total"), "{ask}: {difference}");
        assert!(!remarks(ask, "new").contains("gone"));
    }
}
