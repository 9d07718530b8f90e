//! Reads generated files with an independent reader, which knows only the format.

use std::collections::{HashMap, HashSet};

use super::{Answer, Cost, EVENTS, Size, fingerprint, generate};

const SMALL: Size = Size { functions: 200, edges: 1500, cost_lines: 9000, cycles: 6, recursive: 8, seed: 11 };

fn made(size: Size) -> (String, Answer) {
    let mut bytes = Vec::new();
    let answer = generate(size, &mut bytes).unwrap();
    assert_eq!(bytes.len() as u64, answer.bytes);
    (String::from_utf8(bytes).unwrap(), answer)
}

/// The contents of a file.
#[derive(Default)]
struct ParsedFile {
    objects: HashMap<String, String>,
    files: HashMap<String, String>,
    names: HashMap<String, String>,
    own: HashMap<String, Cost>,
    calls: Vec<(String, String, u64, Cost)>,
    /// Objects and files of each function, from all lines that state them.
    homes: HashMap<String, HashSet<(String, String)>>,
    lines: HashSet<i64>,
    cost_lines: u64,
    headers: HashMap<String, String>,
}

fn resolve(names: &mut HashMap<String, String>, text: &str) -> String {
    let (id, name) = text.split_once(')').unwrap();
    if !name.is_empty() {
        assert!(
            names.insert(id.to_owned(), name.trim_start().to_owned()).is_none(),
            "{text} is defined twice"
        );
    }
    names.get(id).unwrap_or_else(|| panic!("{text} was never defined")).clone()
}

fn position(text: &str, last: i64) -> i64 {
    match text.as_bytes()[0] {
        b'*' => last,
        b'+' => last + text[1..].parse::<i64>().unwrap(),
        b'-' => last - text[1..].parse::<i64>().unwrap(),
        _ => text.parse().unwrap(),
    }
}

fn costs<'a>(words: impl Iterator<Item = &'a str>) -> Cost {
    let mut cost = [0; EVENTS.len()];
    words.zip(&mut cost).for_each(|(word, cost)| *cost = word.parse().unwrap());
    cost
}

fn plus(sum: &mut Cost, more: &Cost) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn read(text: &str) -> ParsedFile {
    let mut read = ParsedFile::default();
    let [mut object, mut file, mut own_file, mut function] = [const { String::new() }; 4];
    let (mut called, mut called_file, mut called_object) = (String::new(), None::<String>, None::<String>);
    let mut count = None;
    let mut line = 0;
    for text in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((key, value)) = text.split_once(": ") {
            read.headers.insert(key.to_owned(), value.to_owned());
            continue;
        }
        let Some((key, value)) = text.split_once('=') else {
            let mut words = text.split_ascii_whitespace();
            line = position(words.next().unwrap(), line);
            let cost = costs(words);
            read.lines.insert(line);
            match count.take() {
                None => {
                    plus(read.own.entry(function.clone()).or_default(), &cost);
                    read.cost_lines += 1;
                }
                Some(count) => read.calls.push((function.clone(), called.clone(), count, cost)),
            }
            continue;
        };
        let value = value.trim_start_matches('(');
        match key {
            "ob" => object = resolve(&mut read.objects, value),
            "fl" => {
                own_file = resolve(&mut read.files, value);
                file = own_file.clone();
            }
            "fi" | "fe" => file = resolve(&mut read.files, value),
            "fn" => {
                function = resolve(&mut read.names, value);
                file = own_file.clone();
                read.homes.entry(function.clone()).or_default().insert((object.clone(), own_file.clone()));
            }
            "cob" => called_object = Some(resolve(&mut read.objects, value)),
            "cfi" => called_file = Some(resolve(&mut read.files, value)),
            "cfn" => {
                called = resolve(&mut read.names, value);
                let home = (
                    called_object.take().unwrap_or_else(|| object.clone()),
                    called_file.take().unwrap_or_else(|| file.clone()),
                );
                read.homes.entry(called.clone()).or_default().insert(home);
            }
            "calls" => count = Some(value.split(' ').next().unwrap().parse().unwrap()),
            other => panic!("{other} is not known"),
        }
    }
    read
}

/// The functions that each function reaches by calls; itself only if it is recursive.
fn reached(read: &ParsedFile) -> HashMap<&str, HashSet<&str>> {
    let mut callees: HashMap<&str, Vec<&str>> = HashMap::new();
    for (caller, callee, ..) in &read.calls {
        callees.entry(caller).or_default().push(callee);
    }
    let from = |start: &str| {
        let mut seen = HashSet::new();
        let mut open: Vec<&str> = callees.get(start).cloned().unwrap_or_default();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(callees.get(next).into_iter().flatten());
            }
        }
        seen
    };
    read.own.keys().map(|it| (it.as_str(), from(it))).collect()
}

/// Self cost and calls, except those from which a call path leads back; for members of rings the largest lower bound.
fn inclusive(read: &ParsedFile) -> HashMap<String, Cost> {
    let reached = reached(read);
    let goes_back = |caller: &str, callee: &str| reached[callee].contains(caller);
    let mut leaving = read.own.clone();
    for (caller, callee, _, cost) in &read.calls {
        if !goes_back(caller, callee) {
            plus(leaving.get_mut(caller).unwrap(), cost);
        }
    }
    let ring = |member: &str| {
        let others = reached[member].iter().filter(|other| goes_back(member, other));
        others.copied().collect::<HashSet<&str>>()
    };
    let bound = |(name, known): (&String, &Cost)| {
        let ring = ring(name);
        let bound = if ring.len() > 1 { member_bound(read, &leaving, &ring, name) } else { *known };
        (name.clone(), bound)
    };
    leaving.iter().map(bound).collect()
}

/// The largest lower bound for a member of a ring.
fn member_bound(
    read: &ParsedFile,
    leaving: &HashMap<String, Cost>,
    ring: &HashSet<&str>,
    name: &str,
) -> Cost {
    let mut whole = [0; EVENTS.len()];
    ring.iter().for_each(|member| plus(&mut whole, &leaving[*member]));
    let mut entering = [0; EVENTS.len()];
    let mut inside: HashMap<&str, (u64, Cost)> = HashMap::new();
    for (caller, _, count, cost) in read.calls.iter().filter(|call| call.1 == name) {
        if ring.contains(caller.as_str()) {
            let sums = inside.entry(caller).or_default();
            sums.0 += count;
            plus(&mut sums.1, cost);
        } else {
            plus(&mut entering, cost);
        }
    }
    std::array::from_fn(|event| {
        let means = inside.values().map(|(count, cost)| cost[event].div_ceil(*count));
        let mean = means.max().unwrap_or(0).min(whole[event]);
        leaving[name][event].max(entering[event]).max(mean)
    })
}

#[test]
fn the_answer_is_what_a_plain_reader_finds() {
    for seed in 0..4 {
        let (text, answer) = made(Size { seed, ..SMALL });
        let read = read(&text);
        let inclusive = inclusive(&read);
        let pairs: HashSet<_> = read.calls.iter().map(|(caller, callee, ..)| (caller, callee)).collect();
        assert_eq!((read.own.len() as u64, pairs.len() as u64), (answer.function_count, answer.call_count));
        assert_eq!((answer.function_count, answer.call_count, read.cost_lines), (200, 1500, 9000));
        for function in answer.top_self.iter().chain(&answer.top_inclusive) {
            let called = read.calls.iter().filter(|call| call.1 == function.name);
            assert_eq!(function.own, read.own[&function.name]);
            assert_eq!(function.inclusive, inclusive[&function.name]);
            assert_eq!(function.calls, Some(called.map(|call| call.2).sum::<u64>()));
        }
        let prints = read.own.iter().map(|(name, own)| fingerprint(name, own, &inclusive[name]));
        assert_eq!(answer.fingerprint, prints.fold(0, u64::wrapping_add));
    }
}

#[test]
fn totals_are_those_of_the_root() {
    let (text, answer) = made(SMALL);
    let read = read(&text);
    let mut total = [0; EVENTS.len()];
    read.own.values().for_each(|cost| plus(&mut total, cost));
    assert_eq!(answer.totals, total);
    assert_eq!(inclusive(&read)["main"], total);
    assert!(inclusive(&read).values().all(|cost| cost.iter().zip(&total).all(|(one, all)| one <= all)));
    let written = |key: &str| costs(read.headers[key].split(' '));
    assert_eq!((written("summary"), written("totals")), (total, total));
    assert_eq!(read.headers["events"].split(' ').collect::<Vec<_>>(), EVENTS);
}

#[test]
fn the_largest_are_listed_in_order() {
    let (text, answer) = made(SMALL);
    let read = read(&text);
    let largest = |costs: &HashMap<String, Cost>| {
        let mut all: Vec<u64> = costs.values().map(|cost| cost[0]).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        all.truncate(20);
        all
    };
    assert_eq!(answer.top_self.iter().map(|it| it.own[0]).collect::<Vec<_>>(), largest(&read.own));
    let inclusives = answer.top_inclusive.iter().map(|it| it.inclusive[0]);
    assert_eq!(inclusives.collect::<Vec<_>>(), largest(&inclusive(&read)));
}

/// Every function has one object and file, whether stated with `fn=` or `cfn=`, with or without `cob=` and `cfi=`.
#[test]
fn homes_do_not_contradict_each_other() {
    let read = read(&made(SMALL).0);
    assert_eq!(read.homes.len(), 200);
    assert!(read.homes.values().all(|homes| homes.len() == 1));
    assert!(read.lines.iter().all(|line| *line > 0));
}

#[test]
fn all_that_valgrind_writes_occurs() {
    let (text, _) = made(SMALL);
    let begins =
        ["ob=", "fl=", "fi=", "fe=", "fn=", "cob=", "cfi=", "cfn=", "calls=", "+", "-", "*", "totals: "];
    for begin in begins {
        assert!(text.lines().any(|line| line.starts_with(begin)), "{begin}");
    }
    let read = read(&text);
    let pairs: HashSet<_> = read.calls.iter().map(|(caller, callee, ..)| (caller, callee)).collect();
    assert!(pairs.len() < read.calls.len(), "some pairs call from two places");
    assert!(pairs.iter().any(|(caller, callee)| caller == callee));
    let reached = reached(&read);
    assert!(
        pairs
            .iter()
            .any(|(caller, callee)| caller != callee && reached[callee.as_str()].contains(caller.as_str()))
    );
}

#[test]
fn the_same_size_gives_the_same_file() {
    assert_eq!(made(SMALL), made(SMALL));
    assert_ne!(made(SMALL).0, made(Size { seed: 12, ..SMALL }).0);
}

#[test]
fn a_file_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.callgrind");
    let answer = super::file(&path, SMALL).unwrap();
    let first = std::fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(super::file(&path, SMALL).unwrap(), answer);
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), first);
    let other = super::file(&path, Size { functions: 100, ..SMALL }).unwrap();
    assert_eq!(other.function_count, 100);
    assert_eq!(Answer::beside(&path).unwrap(), Some(other));
}
