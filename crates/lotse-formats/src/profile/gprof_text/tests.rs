//! Small handwritten texts.

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

fn as_lines(profile: &Profile) -> Vec<String> {
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
    // mcount is never called by a function compiled with -pg.
    let note = "the whole input: a flat profile does not state the inclusive time of 1 function precisely; their \
                self time stands for it (gprof -q prints the call graph)";
    assert_eq!(reading.diagnostics[0].to_string(), note);
    assert!(reading.complete());
    assert_eq!(as_lines(&reading.value), ["init [60000, 4]", "mcount [20000, 0]", "init [0, 2]"]);
    let events: Vec<_> = reading.value.events.iter().map(|it| (it.name.as_str(), it.exponent)).collect();
    assert_eq!(events, [("time", -6), ("calls", 0)]);
}

#[test]
fn a_call_graph_distinguishes_functions_of_one_name() {
    let reading = reading(&[FLAT, GRAPH].concat());
    assert_eq!(reading.diagnostics, []);
    assert_eq!(
        as_lines(&reading.value),
        [
            // The flat profile has a total of 0.08 s.
            "main [8888]",
            "init [53334]",
            "init [0]",
            "mcount [17778]",
            "main -> init 4 [70000]",
            "main -> init 2 [0]",
            "init -> init 9 [0]",
        ]
    );
}

#[test]
fn damage_is_reported_with_its_line() {
    let bad = reading(&GRAPH.replace("2/2           main", "x/2           main"));
    assert_eq!(bad.diagnostics[0].to_string(), "line 12: expected a caller or a callee with its calls");
    assert_eq!(as_lines(&bad.value).len(), 6);
    let cut = reading(&GRAPH[..GRAPH.find("2         init [3]").unwrap()]);
    assert!(!cut.complete());
    assert!(read(&Memory { name: "x", bytes: b"Flat profile:\n\n" }, &Sequential).is_err());
}

/// Mutually recursive functions: the cycle has an entry of its own, which is not a function.
#[test]
fn cycles_are_not_functions() {
    let text = "index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.00    0.30                 main [1]
                0.20    0.10       1/1           even <cycle 1> [3]
-----------------------------------------------
[2]    100.0    0.20    0.10       1+19      <cycle 1 as a whole> [2]
                0.15    0.10      10             even <cycle 1> [3]
                0.05    0.00      10             odd <cycle 1> [4]
-----------------------------------------------
                                  10             odd <cycle 1> [4]
                0.20    0.10       1/1           main [1]
[3]     83.3    0.15    0.10      11         even <cycle 1> [3]
                0.10    0.00       5/5           leaf [5]
                                  10             odd <cycle 1> [4]
-----------------------------------------------
                                  10             even <cycle 1> [3]
[4]     16.7    0.05    0.00      10         odd <cycle 1> [4]
                                  10             even <cycle 1> [3]
-----------------------------------------------
                0.10    0.00       5/5           even <cycle 1> [3]
[5]     33.3    0.10    0.00       5         leaf [5]
-----------------------------------------------
";
    let reading = reading(text);
    assert_eq!(reading.diagnostics, []);
    assert_eq!(
        as_lines(&reading.value),
        [
            "main [0]",
            "even [150000]",
            "odd [50000]",
            "leaf [100000]",
            "main -> even 1 [300000]",
            "odd -> even 10 [0]",
            "even -> leaf 5 [100000]",
            "even -> odd 10 [0]",
        ]
    );
}

/// The caller of a cycle is charged the whole cycle, so the member it calls costs no less.
#[test]
fn a_member_of_a_cycle_costs_what_enters_there() {
    let text = "index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.00    0.30                 main [1]
                0.20    0.10       1/1           even <cycle 1> [3]
-----------------------------------------------
                                  10             odd <cycle 1> [4]
                0.20    0.10       1/1           main [1]
[3]     83.3    0.15    0.10      11         even <cycle 1> [3]
                                  10             odd <cycle 1> [4]
-----------------------------------------------
                                  10             even <cycle 1> [3]
[4]     16.7    0.15    0.00      10         odd <cycle 1> [4]
                                  10             even <cycle 1> [3]
-----------------------------------------------
";
    let profile = reading(text).value;
    let stated = &profile.parts[0].inclusive;
    let found: Vec<_> = stated.function.iter().zip(stated.costs.cells()).collect();
    let found: Vec<_> = found.iter().map(|(id, cost)| (profile.function_name(**id), **cost)).collect();
    assert_eq!(found, [("main", 300_000), ("even", 300_000), ("odd", 150_000)]);
}

/// Four functions of half a sample each are printed as 0.01: they add up to the stated total, not to 0.04.
#[test]
fn times_add_up_to_the_total_of_the_file() {
    let rows: String = ["a", "b", "c", "d"]
        .map(|name| format!(" 25.00      0.02     0.01                             {name}\n"))
        .concat();
    let text = format!(
        "Flat profile:\n\nEach sample counts as 0.01 seconds.\n  %   cumulative   self              self     total\n time   \
         seconds   seconds    calls  Ts/call  Ts/call  name\n{rows}\n"
    );
    let profile = reading(&text).value;
    assert_eq!(profile.parts[0].own.costs.total(0), 20_000);
    assert_eq!(profile.parts[0].own.costs.value(2, 0), 5000);
}

/// Variants of gprof count cycles, and print them in thousands.
#[test]
fn other_units_and_thousands() {
    let text =
        FLAT.replace("seconds   seconds", "cycles   cycles").replace("ms/call  ms/call", "K/call  K/call");
    let events = |text: &str| {
        let events = reading(text).value.events;
        (events[0].name.clone(), events[0].exponent)
    };
    assert_eq!(events(FLAT), ("time".to_owned(), -6));
    assert_eq!(events(&text), ("cycles".to_owned(), -2));
    let thousands = text.replace(" time   cycles", "(K)\n time   cycles");
    assert_eq!(events(&thousands), ("cycles".to_owned(), 1));
}

#[test]
fn a_second_entry_of_a_function_is_reported() {
    let again = GRAPH.replace("init [3]", "init [2]");
    let reading = reading(&again);
    let messages: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(messages, ["line 13: the function has a second entry; its self time replaces the first"]);
}
