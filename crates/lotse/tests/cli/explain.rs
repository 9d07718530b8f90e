//! `lotse explain`.

use crate::session::{Session, list, texts};

#[test]
fn all_rules_are_listed() {
    let answer = Session::new().lotse(&["explain"]).exits(0);
    for rule in ["bench-drift", "bench-left-behind", "bench-failed-runs", "bench-constant-metric"] {
        assert!(answer.stdout.contains(rule), "{rule} in\n{}", answer.stdout);
    }
}

#[test]
fn every_rule_is_explained() {
    let session = Session::new();
    let rules = session.lotse(&["explain", "--json"]).exits(0).json();
    let ids = texts(&rules, "id");
    assert!(ids.len() >= 10, "{ids:?}");
    for id in ids {
        session.lotse(&["explain", id]).exits(0).says(id);
    }
}

#[test]
fn one_rule_as_json() {
    let rule = Session::new().lotse(&["explain", "bench-drift", "--json"]).exits(0).json();
    assert_eq!(rule["id"], "bench-drift");
    assert!(!rule["title"].as_str().unwrap().is_empty());
    assert!(!list(&rule["thresholds"]).is_empty());
}

#[test]
fn a_misspelt_rule_is_guessed() {
    let answer = Session::new().lotse(&["explain", "bench-drfit"]).exits(2);
    assert_eq!(
        answer.stderr,
        "error: there is no rule and no word 'bench-drfit'; is it bench-drift? ('lotse explain' lists all rules, 'lotse explain glossary' all words)\n"
    );
    assert_eq!(answer.stdout, "");
}

#[test]
fn the_project_s_threshold_is_shown() {
    let session = Session::new();
    let rule = session.lotse(&["explain", "bench-drift", "--json"]).exits(0).json();
    let name = rule["thresholds"][0]["name"].as_str().unwrap();
    session.write("lotse.toml", &format!("[rules.bench-drift]\n{name} = 0.0625\n"));
    session.lotse(&["explain", "bench-drift"]).exits(0).says("0.0625");
}

#[test]
fn words_of_the_output_are_explained() {
    let session = Session::new();
    let answer = session.lotse(&["explain", "Inclusive"]).exits(0).says("incl.");
    assert!(answer.stdout.contains("of everything it calls"), "{}", answer.stdout);
    session.lotse(&["explain", "glossary"]).exits(0).says("late sender").says("undecided").says("self");
    let terms = session.lotse(&["explain", "ratio", "--json"]).exits(0).json();
    assert_eq!(terms[0]["topic"], "lotse bench");
}
