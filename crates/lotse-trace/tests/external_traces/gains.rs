//! Every gain of `analyze` is the one that `what-if` predicts for the same change: for the rows of the critical path, for
//! the commands that findings print, and for the waits.

use lotse_model::work::Sequential;
use lotse_trace::analyze::{Request, Subject, analyze, what_if};
use lotse_trace::answer::Answer;
use lotse_trace::store::Trace;

use crate::changed;

/// Tolerance: ticks are converted to seconds once more by each command.
const ROUNDING: f64 = 1e-8;

#[test]
fn gains_of_tables_are_those_of_what_if() {
    let (Some(cases), Some(others)) = (changed::cases(), crate::cases::all()) else { return };
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in &cases {
        compared += check(&case["case"].to_string(), || changed::opened(case), &mut wrong);
    }
    for case in &others {
        compared += check(&case.name, || case.read(), &mut wrong);
    }
    assert!(compared > 100, "only {compared} gains were compared");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Compares all gains of a trace; gives their number.
fn check(name: &str, read: impl Fn() -> Trace, wrong: &mut Vec<String>) -> usize {
    let answer = analyze(read(), &changed::options(), &Sequential).unwrap();
    let subject = Subject::new(read(), &changed::options(), &Sequential).unwrap();
    let gains = gains_of_answer(&answer);
    for (request, gain) in &gains {
        match what_if(&subject, request) {
            Ok(found) if (found.gain.max(0.0) - gain).abs() <= ROUNDING => {}
            Ok(found) => wrong.push(format!("{name}: {request:?}: {gain} s promised, {} s", found.gain)),
            Err(error) => wrong.push(format!("{name}: {request:?}: {gain} s promised, but {error}")),
        }
    }
    gains.len()
}

/// The changes for which an answer has gains, and these gains.
fn gains_of_answer(answer: &Answer) -> Vec<(Request, f64)> {
    let zero = |callpath: &str| Request { scaled: vec![(callpath.to_owned(), 0.0)], ..Request::default() };
    let rows = answer.what_if_zero.iter().map(|row| (zero(&row.callpath), row.gain));
    let commands = answer.findings.iter().filter_map(|finding| {
        let gain = finding.reason.data.get("gain")?;
        Some((request(finding.verification.as_ref()?), *gain))
    });
    rows.chain(commands).collect()
}

/// The request of a printed command.
fn request(command: &str) -> Request {
    let words = shell_words::split(command).unwrap();
    let mut request = Request::default();
    let at = words.iter().position(|word| word.starts_with("--")).unwrap();
    for pair in words[at..].chunks(2) {
        match pair {
            [option, path] if option == "--zero" => request.scaled.push((path.clone(), 0.0)),
            [option, path] if option == "--balance" => request.balanced.push(path.clone()),
            [option, changed] if option == "--scale" => {
                let (path, factor) = changed.rsplit_once('=').unwrap();
                request.scaled.push((path.to_owned(), factor.parse().unwrap()));
            }
            [option, path] if option == "--outside-lock" => request.outside_lock.push(path.clone()),
            [option, wait] if option == "--remove" => {
                let (metric, path) = wait.split_once('@').unwrap();
                request.removed.push((metric.to_owned(), Some(path.to_owned())));
            }
            _ => panic!("{command} is not known here"),
        }
    }
    request
}
