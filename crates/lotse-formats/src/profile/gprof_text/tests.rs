//! Small texts by hand.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::read;
use crate::reading::Reading;

fn reading(text: &str) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes: text.as_bytes() }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

fn shown(profile: &Profile) -> Vec<String> {
    let part = &profile.parts[0];
    let own = part.own.function.iter().enumerate();
    let own = own.map(|(row, &id)| format!("{} {:?}", profile.function_name(id), part.own.costs.row(row)));
    let calls = (0..part.calls.len()).map(|row| {
        let [caller, callee] =
            [&part.calls.caller, &part.calls.callee].map(|it| profile.function_name(it[row]));
        format!("{caller} -> {callee} {} {:?}", part.calls.count[row], part.calls.costs.row(row))
    });
    own.chain(calls).collect()
}

const FLAT: &str = "Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total           
 time   seconds   seconds    calls  ms/call  ms/call  name    
 75.00      0.06     0.06        4     0.00     0.00  init
 25.00      0.08     0.02                             mcount
  0.00      0.08     0.00        2     0.00     0.00  init

 %         the percentage of the total running time of the
time       program used by this function.
";

const GRAPH: &str = "\u{c}
index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.01    0.07                 main [1]
                0.06    0.01       4/4           init [2]
                0.00    0.00       2/2           init [3]
-----------------------------------------------
                0.06    0.01       4/4           main [1]
[2]     87.5    0.06    0.01       4+9       init [2]
                                   9             init [2]
-----------------------------------------------
                0.00    0.00       2/2           main [1]
[3]      0.0    0.00    0.00       2         init [3]
-----------------------------------------------

 This table describes the call tree of the program, and was sorted by
 the total amount of time spent in each function and its children.
";

#[test]
fn a_flat_profile_alone_counts_calls() {
    let reading = reading(FLAT);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(shown(&reading.value), ["init [6, 4]", "mcount [2, 0]", "init [0, 2]"]);
    let events: Vec<_> = reading.value.events.iter().map(|it| (it.name.as_str(), it.exponent)).collect();
    assert_eq!(events, [("time", -2), ("calls", 0)]);
}

#[test]
fn a_call_graph_tells_functions_of_one_name_apart() {
    let reading = reading(&[FLAT, GRAPH].concat());
    assert_eq!(reading.diagnostics, []);
    assert_eq!(
        shown(&reading.value),
        [
            "main [1]",
            "init [6]",
            "init [0]",
            "mcount [2]",
            "main -> init 4 [7]",
            "main -> init 2 [0]",
            "init -> init 9 [0]",
        ]
    );
}

#[test]
fn damage_is_told_with_its_line() {
    let bad = reading(&GRAPH.replace("2/2           main", "x/2           main"));
    assert_eq!(bad.diagnostics[0].to_string(), "line 12: expected a caller or a callee with its calls");
    assert_eq!(shown(&bad.value).len(), 6);
    let cut = reading(&GRAPH[..GRAPH.find("2         init [3]").unwrap()]);
    assert!(!cut.complete());
    assert!(read(&Memory { name: "x", bytes: b"Flat profile:\n\n" }, &Sequential).is_err());
}
