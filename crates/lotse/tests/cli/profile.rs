//! `lotse profile`: lists, filters, groups, parts, event types, formats, conversions, and bad input.

use serde_json::Value;

use crate::session::{Session, list};

/// main calls work and, through it, itself again; two event types; two parts in one file.
const CALLGRIND: &str = "# callgrind format\nversion: 1\ncreator: test\npid: 7\ncmd: ./prog -x\npart: 1\n\n\
    positions: line\nevents: Ir D1mr\nsummary: 1110 12\n\n\
    ob=(1) /bin/prog\nfl=(1) src/main.c\nfn=(1) main\n3 10 1\ncfn=(2) _ZN4work3runEi\ncalls=2 20\n4 1100 11\n\n\
    fn=(2)\n20 1000 10\ncfn=(3) leaf\ncalls=50 40\n21 100 1\n\nfn=(3)\n40 100 1\n\ntotals: 1110 12\n";
const COLLAPSED: &str = "main;parse;alloc 5\nmain;parse 3\nmain;run;alloc 2\n";

fn session() -> Session {
    let session = Session::new();
    session.write("a.callgrind", CALLGRIND).write("a.folded", COLLAPSED);
    session
}

fn json(session: &Session, line: &[&str]) -> Value {
    let mut words = vec!["profile"];
    words.extend(line);
    words.push("--json");
    let answer = session.lotse(&words);
    assert_eq!(answer.status, 0, "{line:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn names(rows: &Value) -> Vec<&str> {
    list(rows).iter().map(|row| row["display"].as_str().unwrap()).collect()
}

#[test]
fn top_lists_functions_with_exact_costs() {
    let answer = json(&session(), &["top", "a.callgrind"]);
    assert_eq!(answer["schema"], "lotse.profile.top/1");
    assert_eq!(answer["format"], "callgrind");
    assert_eq!(answer["command"], "./prog -x");
    assert_eq!(answer["events"][0], serde_json::json!({"name": "Ir", "unit": "count", "total": 1110}));
    assert_eq!((&answer["function_count"], &answer["call_count"]), (&3.into(), &2.into()));
    assert_eq!((&answer["samples"], &answer["stacks"]), (&Value::Null, &Value::Null));
    assert_eq!(names(&answer["functions"]), ["work::run(int)", "leaf", "main"]);
    let work = &answer["functions"][0];
    assert_eq!(work["name"], "_ZN4work3runEi");
    assert_eq!(work["class"], "work");
    assert_eq!((&work["file"], &work["object"]), (&"src/main.c".into(), &"/bin/prog".into()));
    assert_eq!(work["self"], serde_json::json!([1000, 10]));
    assert_eq!(work["inclusive"], serde_json::json!([1100, 11]));
    assert_eq!(work["calls"], 2);
}

#[test]
fn top_for_people_is_a_table() {
    let answer = session().lotse(&["profile", "top", "a.callgrind", "-n", "2"]);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    assert!(
        answer.stdout.starts_with("work::run(int) takes 90.1 % of 1,110 Ir (self)\n"),
        "{}",
        answer.stdout
    );
    let first = answer.stdout.lines().nth(4).unwrap();
    assert!(
        first.contains("1,000") && first.contains("90.1 %") && first.contains("work::run(int)"),
        "{first}"
    );
    assert!(!answer.stdout.contains(" main "), "{}", answer.stdout);
}

#[test]
fn lists_are_sorted_filtered_and_cut() {
    let session = session();
    let top = |line: &[&str]| {
        let mut words = vec!["top", "a.callgrind"];
        words.extend(line);
        names(&json(&session, &words)["functions"]).join(" ")
    };
    assert_eq!(top(&["--sort", "inclusive"]), "main work::run(int) leaf");
    assert_eq!(top(&["--sort", "calls", "-n", "1"]), "leaf");
    assert_eq!(top(&["--sort", "name"]), "work::run(int) leaf main");
    assert_eq!(top(&["--filter", "/^(main|leaf)$/"]), "leaf main");
    assert_eq!(top(&["--in-class", "work"]), "work::run(int)");
    session
        .lotse(&["profile", "top", "a.callgrind", "--in-object", "libc"])
        .exits(2)
        .complains("none of 3 functions is what was filtered for");
    assert_eq!(top(&["--event", "D1mr / Ir", "-n", "1"]), "main");
}

#[test]
fn groups_have_costs_of_their_own() {
    let answer = json(&session(), &["top", "a.callgrind", "--group", "class"]);
    assert_eq!(answer["schema"], "lotse.profile.groups/1");
    let work = list(&answer["groups"]).iter().find(|group| group["name"] == "work").unwrap();
    assert_eq!(
        (&work["self"], &work["inclusive"]),
        (&serde_json::json!([1000, 10]), &serde_json::json!([1100, 11]))
    );
    assert_eq!(work["exact"], true);
}

#[test]
fn filters_of_functions_are_not_ignored_by_groups() {
    for filter in
        [["--filter", "leaf"], ["--in-object", "libc"], ["--in-file", "a.c"], ["--in-class", "work"]]
    {
        let command = ["profile", "top", "a.callgrind", "--group", "object", filter[0], filter[1]];
        session().lotse(&command).exits(2).complains("choose functions");
    }
}

#[test]
fn csv_has_all_digits() {
    let answer = session().lotse(&["profile", "top", "a.callgrind", "--csv", "--percent", "off"]);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "function,object,file,line,column,calls,cycle,inclusive is exact,Ir self,Ir inclusive,D1mr self,D1mr inclusive"
    );
    assert_eq!(lines[1], "work::run(int),/bin/prog,src/main.c,,,2,,yes,1000,1100,10,11");
}

#[test]
fn callers_and_callees() {
    let session = session();
    let callers = json(&session, &["callers", "a.callgrind", "leaf", "--all"]);
    let rows: Vec<(&str, u64)> = list(&callers["rows"])
        .iter()
        .map(|row| (row["display"].as_str().unwrap(), row["distance"].as_u64().unwrap()))
        .collect();
    assert_eq!(rows, [("work::run(int)", 1), ("main", 2)]);
    let callees = json(&session, &["callees", "a.callgrind", "run"]);
    assert_eq!(callees["function"]["display"], "work::run(int)");
    assert_eq!(callees["rows"][0]["calls"], 50);
    let wrong = session.lotse(&["profile", "callers", "a.callgrind", "mian"]);
    assert_eq!(wrong.status, 2);
    assert_eq!(wrong.stderr, "error: no function is called \"mian\"; did you mean main?\n");
}

#[test]
fn stacks_count_samples() {
    let answer = json(&session(), &["top", "a.folded", "--sort", "inclusive"]);
    assert_eq!(answer["format"], "collapsed");
    assert_eq!((&answer["samples"], &answer["stacks"]), (&3.into(), &3.into()));
    let inclusive: Vec<&Value> = list(&answer["functions"]).iter().map(|row| &row["inclusive"][0]).collect();
    assert_eq!(inclusive, [10, 8, 7, 2]);
    assert_eq!(answer["functions"][0]["calls"], Value::Null);
}

#[test]
fn event_types_are_listed_and_defined() {
    let session = session();
    let answer = json(&session, &["events", "a.callgrind", "-d", "Cost = Ir + 10 * D1mr"]);
    let cost = list(&answer["events"]).iter().find(|event| event["name"] == "Cost").unwrap();
    assert_eq!(cost["total"], 1230);
    let wrong = session.lotse(&["profile", "top", "a.callgrind", "-d", "A = B", "-d", "B = A"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("A -> B -> A"), "{}", wrong.stderr);
    let wrong = session.lotse(&["profile", "top", "a.callgrind", "-e", "Irr"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("Ir") && wrong.stderr.contains("D1mr"), "{}", wrong.stderr);
}

#[test]
fn parts_are_listed_and_chosen() {
    let session = session();
    let second = CALLGRIND.replace("part: 1", "part: 2").replace("1000", "2000");
    session.write("both.callgrind", &format!("{CALLGRIND}\n{second}"));
    let answer = json(&session, &["parts", "both.callgrind"]);
    assert_eq!(list(&answer["parts"]).len(), 2);
    let one = json(&session, &["top", "both.callgrind", "--parts", "2"]);
    assert_eq!(one["events"][0]["total"], 2110);
    let both = json(&session, &["top", "both.callgrind"]);
    assert_eq!(both["events"][0]["total"], 3220);
    let wrong = session.lotse(&["profile", "top", "both.callgrind", "--parts", "9"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("there is no part \"9\"; there are 2"), "{}", wrong.stderr);
}

#[test]
fn formats_are_listed_and_files_claimed() {
    let session = session();
    let all = json(&session, &["formats"]);
    assert!(list(&all["formats"]).len() >= 19);
    let claims = json(&session, &["formats", "a.callgrind"]);
    assert_eq!(claims["formats"][0]["id"], "callgrind");
}

#[test]
fn profiles_are_converted() {
    let session = session();
    for (from, to) in [("a.callgrind", "out.speedscope.json"), ("a.folded", "out.callgrind")] {
        let format = if to.ends_with("json") { "speedscope" } else { "callgrind" };
        let run = session.lotse(&["profile", "convert", from, "--to", format, "-o", to]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let total = |file| json(&session, &["top", file, "-n", "1"])["events"][0]["total"].clone();
        assert_eq!(json(&session, &["top", to])["format"], format);
        if from == "a.folded" {
            assert_eq!(total(from), total(to));
        }
    }
    let wrong = session.lotse(&["profile", "convert", "a.folded", "--to", "word"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("callgrind, collapsed, pprof, speedscope, csv"), "{}", wrong.stderr);
}

#[test]
fn bad_input_is_named() {
    let session = session();
    session.write("noise", "this is no profile\n");
    let unknown = session.lotse(&["profile", "top", "noise"]);
    assert_eq!(unknown.status, 6);
    assert!(
        unknown.stderr.starts_with("error: noise is in none of the formats read here (callgrind,"),
        "{}",
        unknown.stderr
    );
    let missing = session.lotse(&["profile", "top", "gone"]);
    assert_eq!(missing.status, 6);
    assert!(missing.stderr.contains("cannot read `gone`"), "{}", missing.stderr);
    let wrong = session.lotse(&["profile", "top", "a.folded", "--format", "cobol"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("there is no format \"cobol\""), "{}", wrong.stderr);
}

#[test]
fn a_damaged_file_gives_what_was_good_and_its_place() {
    let session = session();
    session.write("cut.callgrind", &CALLGRIND.replace("40 100 1", "40 1x0 1"));
    let answer = session.lotse(&["profile", "top", "cut.callgrind"]);
    assert_eq!(answer.status, 6, "{}", answer.stderr);
    assert!(answer.stdout.contains("work::run(int)"), "{}", answer.stdout);
    assert!(answer.stderr.contains("line 27"), "{}", answer.stderr);
}
