//! Operations on one of several structures of the same type. Each line with a mark says which operations are done there: as in
//! `known.rs`, container, kind, count, and index/length of the first and the last.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

/// The word that is looked for is an element of another row of the same type.
fn once<'a>(words: &[&'a str]) -> usize {
    let mut known: Vec<&'a str> = Vec::with_capacity(60);
    known.push("");
    for word in words {
        if !known.contains(word) { //~ Vec Search 900
            known.push(word); //~ Vec Insert 50 1/1 50/50
        }
    }
    known.len()
}

/// The rows are elements of another row, which has their lengths.
fn rows(rows: &mut Vec<Vec<u64>>) -> usize {
    for i in 0..300 {
        rows[1].push(i); //~ Vec Insert 300 0/0 299/299
        rows[0].insert(0, i); //~ Vec Insert 300 0/0 0/299
    }
    rows[0].len() + rows[1].len()
}

/// Characters that make room are not inserted.
fn text() -> String {
    let mut text = String::with_capacity(2000);
    for i in 0..300 {
        text.insert_str(0, if i % 2 == 0 { "ab" } else { "c" }); //~ String Insert 450
    }
    text
}

fn indexed(counts: &HashMap<u64, u64>, ages: &BTreeMap<u64, u64>) -> u64 {
    let mut sum = 0;
    for i in 0..40 {
        sum += counts[&i]; //~ HashMap Search 40 | HashMap Read 0
        sum += ages[&i]; //~ BTreeMap Search 40 | BTreeMap Read 0
    }
    sum
}

fn main() {
    let texts: Vec<String> = (0..900).map(|i| format!("word {}", i % 50)).collect();
    let words: Vec<&str> = texts.iter().map(String::as_str).collect();
    black_box(once(black_box(&words)));
    black_box(rows(black_box(&mut vec![Vec::with_capacity(400), Vec::with_capacity(400)])));
    black_box(text());
    let pairs = || (0..40).map(|i| (i, i));
    black_box(indexed(black_box(&pairs().collect()), black_box(&pairs().collect())));
}
