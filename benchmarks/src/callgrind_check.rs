//! Compares Lotse's figures of a file with the expected ones.

use std::cmp::Reverse;
use std::path::Path;

use serde::Deserialize;

use crate::callgrind::{Answer, Function, fingerprint};
use crate::collapsed;
use crate::error::Error;
use crate::lotse::Lotse;
use crate::workshop::Workshop;

const TOOL: &str = "lotse profile top --json";

/// What `lotse profile top --json --limit 0` prints, as far as it is used here.
#[derive(Debug, Deserialize)]
pub struct Top {
    events: Vec<Event>,
    function_count: u64,
    call_count: u64,
    functions: Vec<Function>,
}

#[derive(Debug, Deserialize)]
struct Event {
    name: String,
    total: u64,
}

/// The result of one comparison.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    pub what: &'static str,
    /// `None` if the figures agree, else the difference.
    pub wrong: Option<String>,
}

impl Top {
    /// Runs Lotse to get all functions of a file.
    pub fn query(
        workshop: &mut Workshop,
        lotse: &Lotse,
        file: &Path,
        options: &[&str],
    ) -> Result<Self, Error> {
        let mut argv = vec![lotse.path().display().to_string(), "profile".to_owned(), "top".to_owned()];
        argv.push(file.display().to_string());
        argv.extend(["--json", "--limit", "0"].iter().chain(options).map(|&word| word.to_owned()));
        let output = workshop.run(TOOL, &argv, &[0])?.stdout;
        serde_json::from_str(&output).map_err(|source| Error::Json { tool: TOOL, source })
    }

    /// Compares only the totals.
    pub fn check_totals(&self, totals: &[u64]) -> Check {
        let found: Vec<u64> = self.events.iter().map(|event| event.total).collect();
        same("totals", totals, &found[..])
    }

    /// Compares all figures.
    pub fn check(&self, answer: &Answer) -> Vec<Check> {
        let names: Vec<_> = self.events.iter().map(|event| event.name.as_str()).collect();
        vec![
            same("event types", &answer.events[..], &names[..]),
            self.check_totals(&answer.totals),
            same("number of functions", &answer.function_count, &self.function_count),
            same("number of calls", &answer.call_count, &self.call_count),
            same_functions("top 20 by self cost", &answer.top_self, &self.largest(|it| &it.own)),
            same_functions(
                "top 20 by inclusive cost",
                &answer.top_inclusive,
                &self.largest(|it| &it.inclusive),
            ),
            same("self and inclusive cost of every function", &answer.fingerprint, &self.prints()),
        ]
    }

    /// Compares everything that is known about collapsed stacks.
    pub fn check_stacks(&self, answer: &collapsed::Answer) -> Vec<Check> {
        vec![
            self.check_totals(&[answer.total]),
            same("number of functions", &answer.function_count, &self.function_count),
            same("self and inclusive cost of every function", &answer.fingerprint, &self.prints()),
        ]
    }

    /// [`fingerprint`] of all functions, added up.
    fn prints(&self) -> u64 {
        let print = |it: &Function| fingerprint(&it.name, &it.own, &it.inclusive);
        self.functions.iter().map(print).fold(0, u64::wrapping_add)
    }

    /// All functions, the most expensive by the first event type first.
    fn largest(&self, cost: fn(&Function) -> &Vec<u64>) -> Vec<&Function> {
        let mut all: Vec<&Function> = self.functions.iter().collect();
        all.sort_by_key(|it| Reverse(cost(it).first().copied()));
        all
    }
}

fn same<A, B>(what: &'static str, expected: &A, found: &B) -> Check
where
    A: std::fmt::Debug + PartialEq<B> + ?Sized,
    B: std::fmt::Debug + ?Sized,
{
    let wrong = || format!("{found:?} instead of {expected:?}");
    Check { what, wrong: (expected != found).then(wrong) }
}

fn same_functions(what: &'static str, expected: &[Function], found: &[&Function]) -> Check {
    let listed = &found[..found.len().min(expected.len())];
    let differs = expected.iter().zip(listed).find(|(expected, found)| expected != *found);
    let wrong = match differs {
        Some((expected, found)) => Some(format!("{found:?} instead of {expected:?}")),
        None if listed.len() < expected.len() => Some(format!("only {} functions", listed.len())),
        None => None,
    };
    Check { what, wrong }
}

#[cfg(test)]
mod tests {
    use super::{Event, Top};
    use crate::callgrind::{Answer, Function, Size, fingerprint, generate};

    fn answer() -> Answer {
        let size = Size { functions: 20, edges: 60, cost_lines: 500, cycles: 1, recursive: 2, seed: 5 };
        generate(size, &mut Vec::new()).unwrap()
    }

    /// Lotse's output if it is right; with so few functions the list of the largest contains all of them.
    fn top_of(answer: &Answer) -> Top {
        let events = answer.events.iter().zip(answer.totals);
        Top {
            events: events.map(|(name, total)| Event { name: name.clone(), total }).collect(),
            function_count: answer.function_count,
            call_count: answer.call_count,
            functions: answer.top_inclusive.clone(),
        }
    }

    fn wrong(top: &Top, answer: &Answer) -> Vec<&'static str> {
        top.check(answer).into_iter().filter(|check| check.wrong.is_some()).map(|check| check.what).collect()
    }

    #[test]
    fn the_truth_is_right() {
        let answer = answer();
        assert_eq!(wrong(&top_of(&answer), &answer), [""; 0]);
    }

    #[test]
    fn one_more_somewhere_is_wrong() {
        let answer = answer();
        let mut top = top_of(&answer);
        top.functions[3].inclusive[8] += 1;
        let both = ["top 20 by self cost", "top 20 by inclusive cost"];
        assert_eq!(
            wrong(&top, &answer),
            [&both[..], &["self and inclusive cost of every function"]].concat()
        );
        let mut top = top_of(&answer);
        top.call_count += 1;
        top.events[0].total -= 1;
        assert_eq!(wrong(&top, &answer), ["totals", "number of calls"]);
    }

    #[test]
    fn missing_functions_are_wrong() {
        let answer = answer();
        let mut top = top_of(&answer);
        top.functions.truncate(2);
        assert!(wrong(&top, &answer).contains(&"top 20 by self cost"));
    }

    #[test]
    fn lotses_json_is_understood() {
        let json = r#"{"schema": "lotse.profile.top/1", "function_count": 1, "call_count": 0,
            "events": [{"name": "Ir", "unit": "", "total": 7}],
            "functions": [{"name": "f", "display": "f", "self": [7], "inclusive": [7], "calls": 0}]}"#;
        let top: Top = serde_json::from_str(json).unwrap();
        let one = Function { name: "f".into(), own: vec![7], inclusive: vec![7], calls: Some(0) };
        assert_eq!(top.functions, [one]);
        assert_eq!(top.check_totals(&[7]).wrong, None);
        assert!(top.check_totals(&[8]).wrong.is_some());
        assert_ne!(fingerprint("f", &[7], &[7]), fingerprint("f", &[7], &[8]));
    }
}
