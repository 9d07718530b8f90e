//! Every heading of a table of profiles is in the glossary.

use std::collections::BTreeSet;

use crate::session::Session;

/// The headings of a table: the words above its rule, separated by two spaces or more.
fn headings(table: &str) -> Vec<String> {
    let lines: Vec<&str> = table.lines().collect();
    let above = lines.windows(2).filter(|pair| pair[1].starts_with('─')).map(|pair| pair[0]);
    above
        .flat_map(|line| line.split("  ").map(str::trim))
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn headings_of_profiles_are_explained() {
    let session = Session::new();
    session.write("a.txt", "main;f;g 30\nmain;f;g;f 4\nmain;h 1\n");
    session.write("b.txt", "main;f;g 60\nmain;h 8\nmain 1\n");
    let calls = "events: Ir\nfn=main\n1 10\ncfn=f\ncalls=3 5\n2 90\nfn=f\n5 90\n";
    session.write("c.out", calls);
    let mut words: BTreeSet<String> = BTreeSet::new();
    for command in [
        "top a.txt",
        "top c.out",
        "top a.txt -g cycle",
        "callers a.txt g --all",
        "callees c.out main --percent parent",
        "tree a.txt",
        "parts a.txt",
        "diff a.txt b.txt --min-change 0",
        "diff a.txt b.txt a.txt --min-change 0",
        "diff c.out c.out --calls --min-change 0",
    ] {
        let words_of_call: Vec<&str> =
            ["profile"].into_iter().chain(command.split(' ')).chain(["--wide"]).collect();
        let found = headings(&session.lotse(&words_of_call).exits(0).stdout);
        assert!(!found.is_empty(), "{command}");
        words.extend(found);
    }
    assert!(
        words.contains("self") && words.contains("% of old") && words.contains("difference"),
        "{words:?}"
    );
    // Names of event types head their columns.
    let unknown: Vec<&String> =
        words.iter().filter(|word| *word != "Ir" && session.lotse(&["explain", word]).status != 0).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
