//! Small handwritten files.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::{claim, read};
use crate::format::Confidence;
use crate::reading::Reading;

fn text(text: &str) -> Vec<u8> {
    [b"s".as_slice(), &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

fn integer(number: i32) -> Vec<u8> {
    [b"i".as_slice(), &number.to_le_bytes()].concat()
}

fn float(number: f64) -> Vec<u8> {
    [b"g".as_slice(), &number.to_le_bytes()].concat()
}

fn tuple(items: &[Vec<u8>]) -> Vec<u8> {
    [b"(".as_slice(), &(items.len() as u32).to_le_bytes(), &items.concat()].concat()
}

fn dictionary(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let pairs: Vec<u8> =
        pairs.iter().flat_map(|(key, value)| [key.clone(), value.clone()].concat()).collect();
    [b"{".as_slice(), &pairs, b"0"].concat()
}

fn function(line: i32, name: &str) -> Vec<u8> {
    tuple(&[text("a.py"), integer(line), text(name)])
}

fn statistics(calls: i32, own: f64, callers: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    tuple(&[integer(1), integer(calls), float(own), float(own), dictionary(callers)])
}

fn reading(bytes: &[u8]) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

#[test]
fn functions_of_one_name_are_distinguished_by_line() {
    let callers = [(function(1, "main"), tuple(&[integer(3), integer(1), float(0.5), float(1.5)]))];
    let bytes = dictionary(&[
        (function(1, "main"), statistics(1, 2e-9, &[])),
        (function(5, "<lambda>"), statistics(3, 0.5, &callers)),
        (function(9, "<lambda>"), statistics(4, -1e-9, &[])),
    ]);
    assert_eq!(claim(&Memory { name: "x", bytes: &bytes }), Confidence::Certain);
    let reading = reading(&bytes);
    assert_eq!(reading.diagnostics, []);
    let profile = &reading.value;
    assert_eq!(profile.functions.line, [1, 5, 9]);
    let part = &profile.parts[0];
    assert!(profile.signed);
    assert_eq!(part.own.costs.row(0), [1, 2, 1]);
    assert_eq!(part.own.costs.value(2, 1), -1);
    assert_eq!(
        (part.calls.count.as_slice(), part.calls.costs.row(0)),
        ([3].as_slice(), [3, 1_500_000_000, 1].as_slice())
    );
}

#[test]
fn the_old_profiler_counts_calls_only() {
    let callers = [(function(1, "main"), integer(3))];
    let bytes = dictionary(&[(function(5, "f"), statistics(3, 0.5, &callers))]);
    let calls = &reading(&bytes).value.parts[0].calls;
    assert_eq!((calls.count.as_slice(), calls.has_costs()), ([3].as_slice(), false));
}

#[test]
fn numbers_of_calls_may_be_unknown() {
    let callers = [(function(1, "main"), tuple(&[integer(-1), integer(-1), float(0.5), float(1.5)]))];
    let bytes = dictionary(&[
        (function(1, "main"), statistics(-1, 2e-9, &[])),
        (function(5, "f"), statistics(-1, 0.5, &callers)),
    ]);
    let reading = reading(&bytes);
    assert!(reading.complete() && reading.diagnostics[0].to_string().contains("did not count calls"));
    let (events, part) = (&reading.value.events, &reading.value.parts[0]);
    assert_eq!((events.len(), events[0].name.as_str()), (1, "time"));
    assert_eq!((part.own.costs.row(1), part.calls.costs.row(0)), (&[500_000_000][..], &[1_500_000_000][..]));
    assert_eq!(part.calls.count, [0]);
}

#[test]
fn entries_that_are_not_statistics_are_reported() {
    let good = (function(1, "main"), statistics(1, 2e-9, &[]));
    for (key, value, problem) in [
        (integer(1), integer(2), "expected a tuple"),
        (function(2, "f"), tuple(&[integer(1)]), "expected five statistics"),
        (function(2, "f"), statistics(-2, 0.0, &[]), "expected a number of calls"),
        (function(2, "f"), statistics(1, f64::NAN, &[]), "expected a possible number of seconds"),
        (function(1, "main"), statistics(1, 0.0, &[]), "the function comes twice; the first counts"),
    ] {
        let reading = reading(&dictionary(&[good.clone(), (key, value)]));
        assert_eq!(reading.diagnostics[0].to_string(), format!("function 1: {problem}"));
        assert_eq!(reading.value.parts[0].own.function.len(), 1);
    }
    assert!(read(&Memory { name: "x", bytes: b"i\0\0\0\0" }, &Sequential).is_err());
}

#[test]
fn a_shared_dictionary_of_callers_is_bounded() {
    let mut bytes = b"{".to_vec();
    let functions: Vec<Vec<u8>> = (0..2000).map(|line| function(line, "f")).collect();
    let callers: Vec<_> = functions.iter().map(|function| (function.clone(), integer(1))).collect();
    let mut shared = dictionary(&callers);
    shared[0] |= 0x80;
    for (number, function) in functions.iter().enumerate() {
        let callers = if number == 0 { shared.clone() } else { b"r\0\0\0\0".to_vec() };
        bytes.extend(
            [function.clone(), tuple(&[integer(1), integer(1), float(0.0), float(0.0), callers])].concat(),
        );
    }
    bytes.push(b'0');
    let reading = reading(&bytes);
    assert!(!reading.complete());
    assert!(reading.value.parts[0].calls.len() <= bytes.len());
}

/// yappi writes calls and primitive calls in the opposite order.
#[test]
fn numbers_of_calls_in_the_wrong_order_are_swapped() {
    let counts =
        |first, second| tuple(&[integer(first), integer(second), float(1.0), float(1.0), dictionary(&[])]);
    let swapped = dictionary(&[(function(1, "f"), counts(177, 1)), (function(5, "g"), counts(2, 2))]);
    let odd = reading(&swapped);
    assert_eq!(odd.value.parts[0].own.costs.row(0), [177, 1_000_000_000, 1]);
    assert_eq!(odd.diagnostics.len(), 1);
    let usual = dictionary(&[(function(1, "f"), counts(1, 177)), (function(5, "g"), counts(2, 2))]);
    let usual = reading(&usual);
    assert_eq!(usual.value.parts[0].own.costs.row(0), [177, 1_000_000_000, 1]);
    assert_eq!(usual.diagnostics, []);
}
