//! Operations that a program states in its comments, against those that `lotse spy coverage --places` lists.
//!
//! A statement is `Container Kind count first last`, the last two as `index/length`; `?` is not judged. What a line does
//! beside its statements is counted, too: an operation with a wrong name is found there.

use std::collections::BTreeMap;

/// What a line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    line: u32,
    container: String,
    kind: String,
    count: u64,
    /// Index and length of the first and the last operation.
    ends: Option<[Ends; 2]>,
}

/// An index and a length as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ends {
    index: String,
    length: String,
}

/// Operations that were found at one line, by container and kind.
type OperationsByLine = BTreeMap<(u32, String, String), FoundOperations>;

/// Operations of one kind at one line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundOperations {
    count: u64,
    ends: Option<[Ends; 2]>,
}

/// How well a program was decoded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Statements, and those of which container and kind were found at their line.
    pub named: (u64, u64),
    /// Statements whose operations were counted exactly.
    pub exact: u64,
    /// Operations stated, and those found: as many less as were found too many.
    pub operations: (u64, u64),
    /// Statements with an index, and those whose first and last index is right.
    pub indices: (u64, u64),
    /// Statements with a length, and those whose first and last length is right.
    pub lengths: (u64, u64),
    /// Operations at stated lines under a container or kind that is not stated.
    pub beside: u64,
    /// What is not right, a line each.
    pub differences: Vec<String>,
}

/// The statements in the comments of a program.
#[must_use]
pub fn statements(source: &str) -> Vec<Statement> {
    let lines = source.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with("//"));
    let stated = lines.filter_map(|(line, number)| Some((line.split_once("//= ")?.1, number)));
    stated.flat_map(|(text, number)| text.split('|').filter_map(move |one| statement(one, number))).collect()
}

fn statement(text: &str, line: u32) -> Option<Statement> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (container, kind, count) = (words.first()?, words.get(1)?, words.get(2)?.parse().ok()?);
    let ends = words.get(3).zip(words.get(4)).and_then(|(first, last)| Some([ends(first)?, ends(last)?]));
    Some(Statement { line, container: (*container).to_owned(), kind: (*kind).to_owned(), count, ends })
}

fn ends(text: &str) -> Option<Ends> {
    let (index, length) = text.split_once('/')?;
    Some(Ends { index: index.to_owned(), length: length.to_owned() })
}

/// Compares the statements of a program with what `lotse spy coverage --places` printed about it.
#[must_use]
pub fn score(statements: &[Statement], places: &str) -> Score {
    let found = operations(places);
    let mut score = Score::default();
    for statement in statements {
        let key = (statement.line, statement.container.clone(), statement.kind.clone());
        score.judge(statement, found.get(&key));
    }
    let is_stated = |line| statements.iter().any(|statement| statement.line == line);
    let is_right = |line, container: &str, kind: &str| {
        statements.iter().any(|it| it.line == line && it.container == container && it.kind == kind)
    };
    for ((line, container, kind), operations) in &found {
        if is_stated(*line) && !is_right(*line, container, kind) {
            score.beside += operations.count;
            score
                .differences
                .push(format!("line {line}: {container} {kind} {} not stated", operations.count));
        }
    }
    score
}

impl Score {
    fn judge(&mut self, statement: &Statement, found: Option<&FoundOperations>) {
        let count = found.map_or(0, |found| found.count);
        self.named.0 += 1;
        self.named.1 += u64::from(found.is_some());
        self.exact += u64::from(count == statement.count);
        self.operations.0 += statement.count;
        self.operations.1 += statement.count.saturating_sub(count.abs_diff(statement.count));
        let mut is_right = count == statement.count;
        if let Some(wanted) = &statement.ends {
            let got = found.and_then(|found| found.ends.as_ref());
            is_right &= judge_ends(&mut self.indices, wanted, got, |ends| &ends.index);
            is_right &= judge_ends(&mut self.lengths, wanted, got, |ends| &ends.length);
        }
        if !is_right {
            self.differences.push(format!(
                "line {}: {}: found {}",
                statement.line,
                wanted(statement),
                got(found)
            ));
        }
    }
}

/// Whether a part of both ends is as stated. Only what is judged is counted.
fn judge_ends(
    counted: &mut (u64, u64),
    wanted: &[Ends; 2],
    got: Option<&[Ends; 2]>,
    part: impl Fn(&Ends) -> &String,
) -> bool {
    let judged: Vec<usize> = (0..2).filter(|&at| part(&wanted[at]) != "?").collect();
    let is_right = judged.iter().all(|&at| got.is_some_and(|got| part(&got[at]) == part(&wanted[at])));
    if !judged.is_empty() {
        counted.0 += 1;
        counted.1 += u64::from(is_right);
    }
    is_right
}

fn wanted(statement: &Statement) -> String {
    let Statement { container, kind, count, .. } = statement;
    format!("{container} {kind} {count}{}", both(statement.ends.as_ref()))
}

fn got(found: Option<&FoundOperations>) -> String {
    found
        .map_or_else(|| "nothing".to_owned(), |found| format!("{}{}", found.count, both(found.ends.as_ref())))
}

fn both(ends: Option<&[Ends; 2]>) -> String {
    let text = |ends: &Ends| format!(" {}/{}", ends.index, ends.length);
    ends.into_iter().flatten().map(text).collect()
}

/// Operations by line, container and kind, of the lines of the program itself.
fn operations(places: &str) -> OperationsByLine {
    let mut found = OperationsByLine::new();
    for fields in places.lines().map(|line| line.split('\t').collect::<Vec<_>>()) {
        let Some((key, operations)) = operation(&fields) else { continue };
        match found.get_mut(&key) {
            None => drop(found.insert(key, operations)),
            Some(before) => {
                before.count += operations.count;
                if let (Some(before), Some(now)) = (&mut before.ends, operations.ends) {
                    before[1] = now[1].clone();
                }
            }
        }
    }
    found
}

/// A row: place, method, container, kind, count, first, last.
fn operation(fields: &[&str]) -> Option<((u32, String, String), FoundOperations)> {
    let [place, _, container, kind, count, first, last] = fields else { return None };
    let line = place.split_once("src/main.rs:")?.1.split(':').next()?.parse().ok()?;
    let ends = ends(first).zip(ends(last)).map(|(first, last)| [first, last]);
    let operations = FoundOperations { count: count.parse().ok()?, ends };
    Some(((line, (*container).to_owned(), (*kind).to_owned()), operations))
}

#[cfg(test)]
mod tests {
    use super::{score, statements};

    const PROGRAM: &str = "//! A comment `//= Vec Insert 1`.\nfn main() {\n    a.push(1); //= Vec Insert 4 0/0 3/3\n\
        a.contains(&b); //= Vec Search 2 ?/4 ?/4 | Vec Read 1\n}\n";

    fn judged(rows: &[&str]) -> super::Score {
        let rows: Vec<String> =
            rows.iter().map(|row| format!("/p/src/main.rs:{}", row.replace(' ', "\t"))).collect();
        score(&statements(PROGRAM), &rows.join("\n"))
    }

    #[test]
    fn all_right() {
        let score = judged(&[
            "3:7 push Vec Insert 4 0/0 3/3",
            "4:7 contains Vec Search 2 2/4 -/4",
            "4:1 - Vec Read 1 0/4 0/4",
            "9:1 - Vec Read 7 0/4 0/4",
        ]);
        assert_eq!((score.named, score.exact, score.operations), ((3, 3), 3, (7, 7)));
        assert_eq!((score.indices, score.lengths, score.beside), ((1, 1), (2, 2), 0));
        assert!(score.differences.is_empty(), "{:?}", score.differences);
    }

    #[test]
    fn too_many_missing_and_beside() {
        let score = judged(&["3:7 push Vec Insert 5 0/0 4/3", "4:7 find Vec Write 2 2/4 2/4"]);
        assert_eq!((score.named, score.exact, score.operations), ((3, 1), 0, (7, 3)));
        assert_eq!((score.indices, score.lengths, score.beside), ((1, 0), (2, 1), 2));
        assert_eq!(score.differences.len(), 4, "{:?}", score.differences);
    }

    #[test]
    fn places_on_one_line_are_summed() {
        let score = judged(&["3:7 push Vec Insert 1 0/0 0/0", "3:9 push Vec Insert 3 1/1 3/3"]);
        assert_eq!((score.exact, score.indices), (1, (1, 1)));
    }
}
