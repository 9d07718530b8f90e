//! Small problems of first use: heap profiles of Node.js, units of converted files, names.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recorded::recorded;
use crate::session::{Session, list};

/// Adds up `selfSize` below a node, by function.
fn sizes(node: &Value, sums: &mut BTreeMap<String, u64>) {
    let name = match node["callFrame"]["functionName"].as_str().unwrap() {
        "" => "(anonymous)",
        name => name,
    };
    *sums.entry(name.to_owned()).or_default() += node["selfSize"].as_u64().unwrap();
    list(&node["children"]).iter().for_each(|child| sizes(child, sums));
}

#[test]
fn heap_profiles_of_node_have_the_bytes_of_their_tree() {
    let session = Session::new();
    session.write(
        "work.js",
        "globalThis.kept = [];\nfunction grow(n) { for (let i = 0; i < n; i++) kept.push(new Array(200).fill(i)); }\n\
         grow(20000);\nprocess.on('exit', () => console.log(kept.length));\n",
    );
    let words =
        ["node", "--heap-prof", "--heap-prof-name=work.heapprofile", "--heap-prof-interval=4096", "work.js"];
    if recorded(&session, &words).is_none() {
        return;
    }
    let mut expected = BTreeMap::new();
    sizes(&session.read_json("work.heapprofile")["head"], &mut expected);
    expected.retain(|_, size| *size > 0);
    assert!(expected.contains_key("grow"), "{expected:?}");
    let answer = session.lotse(&["profile", "top", "work.heapprofile", "--json", "-n", "0"]).exits(0).json();
    assert_eq!(answer["events"][0]["unit"], "bytes");
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for row in list(&answer["functions"]).iter().filter(|row| row["self"][0] != 0) {
        *found.entry(row["name"].as_str().unwrap().to_owned()).or_default() +=
            row["self"][0].as_u64().unwrap();
    }
    assert_eq!(found, expected);
}

#[test]
fn callgrind_files_keep_units_and_lines() {
    let session = Session::new();
    session.write(
        "app.py",
        "import cProfile\ndef leaf(n): return sum(range(n))\ndef main():\n    for _ in range(50): leaf(20000)\n\
         cProfile.run('main()', 'a.prof')\n",
    );
    if recorded(&session, &["python3", "app.py"]).is_none() {
        return;
    }
    session.lotse(&["profile", "convert", "a.prof", "--to", "callgrind", "-o", "a.callgrind"]).exits(0);
    let event = |file: &str| {
        let answer = session.lotse(&["profile", "top", file, "--json", "-n", "0"]).exits(0).json();
        let time = list(&answer["events"]).iter().find(|event| event["name"] == "time").unwrap().clone();
        (time["unit"].clone(), time["total"].clone())
    };
    assert_eq!(event("a.callgrind"), event("a.prof"));
    let text = session.read("a.callgrind");
    let leaf = text.lines().skip_while(|line| !(line.starts_with("fn=") && line.contains("leaf"))).nth(1);
    assert!(leaf.is_some_and(|line| line.starts_with("2 ")), "{text}");
    let words = ["sh", "-c", "callgrind_annotate a.callgrind app.py 2>&1"];
    if let Some(judge) = recorded(&session, &words) {
        assert!(judge.contains("app.py:leaf") && !judge.contains("uninitialized"), "{judge}");
    }
}

#[test]
fn the_sentence_about_callers_says_which_module() {
    let session = Session::new();
    session.write("other.py", "def work(): return sum(range(3000000))\nwork()\n");
    session.write("app.py", "import other\n");
    if recorded(&session, &["python3", "-m", "cProfile", "-o", "a.prof", "app.py"]).is_none() {
        return;
    }
    let answer = session.lotse(&["profile", "callers", "a.prof", "work"]).exits(0).stdout;
    let sentence = answer.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(sentence.ends_with("in calls from <module> (other.py:1)"), "{answer}");
}

#[test]
fn collapsed_stacks_may_have_a_faulty_line_and_a_frame_without_a_name() {
    let session = Session::new();
    session.write("a.col", "a;b;c 10\nmain;foo;;bar 7\ncut;off\na;b 3\n");
    let top = session.lotse(&["profile", "top", "a.col", "--sort", "inclusive"]);
    assert!(top.stdout.contains("(unnamed)"), "{}", top.stdout);
    // What was lost is named, and the exit status says so.
    top.exits(6).complains("expected a weight at the end of the line");
}
