//! Exit status 6 says that costs were lost; a name that is missing is a remark.

use crate::recorded::recorded;
use crate::session::{Session, has};

/// A real callgrind file, and the number of a function that its first lines define.
fn callgrind() -> Option<(Session, String)> {
    let session = Session::new();
    session.write(
        "x.c",
        "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nint main(void) { return f(9) == 1; }\n",
    );
    if !has("gcc") || !has("valgrind") {
        return None;
    }
    recorded(&session, &["gcc", "-g", "-O0", "-o", "x", "x.c"])?;
    let line = ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=x.callgrind", "./x"];
    recorded(&session, &line)?;
    let text = session.read("x.callgrind");
    Some((session, text))
}

#[test]
fn a_name_that_is_not_defined_is_a_remark() {
    let Some((session, text)) = callgrind() else { return };
    let whole = session.lotse(&["profile", "top", "x.callgrind", "--json", "-n", "0"]).exits(0).json();
    // The definition of one name is lost, its costs are not: `cfn=(12) main` becomes `cfn=(12)`.
    let is_main = |line: &&str| line.contains("fn=(") && line.ends_with(" main");
    let defined = text.lines().find(is_main).unwrap();
    session.write("unnamed.callgrind", &text.replace(defined, defined.trim_end_matches(" main")));
    let answer = session.lotse(&["profile", "top", "unnamed.callgrind", "--json", "-n", "0"]).exits(0).json();
    assert_eq!(answer["events"], whole["events"]);
    assert_eq!(answer["function_count"], whole["function_count"]);
    let diagnostic = &answer["diagnostics"][0];
    assert!(
        diagnostic["message"].as_str().unwrap().contains("the number is taken as the name"),
        "{diagnostic}"
    );
    assert_eq!(diagnostic["loss"], false);
    let people = session.lotse(&["profile", "top", "unnamed.callgrind"]).exits(0);
    people.complains("the number is taken as the name");
}

#[test]
fn a_cut_file_ends_with_6() {
    let Some((session, text)) = callgrind() else { return };
    // Inside a line: `calls=1 0x…` becomes `call`.
    let half = text.len() / 2;
    let cut = half + text[half..].find("calls=").unwrap() + "call".len();
    session.write("cut.callgrind", &text[..cut]);
    let answer = session.lotse(&["profile", "top", "cut.callgrind", "--json"]).exits(6).json();
    assert!(answer["diagnostics"].to_string().contains("\"loss\":true"), "{}", answer["diagnostics"]);
}
