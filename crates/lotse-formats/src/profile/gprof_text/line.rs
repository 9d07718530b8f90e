//! Parses lines of the flat profile and of the call graph.

use super::decimal::Decimal;

/// A row of the flat profile.
#[derive(Debug, PartialEq)]
pub(super) struct FlatLine<'a> {
    /// Percent of the total.
    pub(super) percent: Decimal,
    /// The sum of self times up to this row.
    pub(super) cumulative: Decimal,
    pub(super) own: Decimal,
    /// The number of calls, and the time of one call including callees.
    pub(super) calls: Option<(u64, Decimal)>,
    pub(super) name: &'a str,
}

/// A line of the call graph: a caller, a callee, or the function of the entry itself.
#[derive(Debug, PartialEq)]
pub(super) struct GraphLine<'a> {
    /// Self time and time of callees; `None` for calls inside a cycle.
    pub(super) times: Option<(Decimal, Decimal)>,
    /// The number of calls; `None` for a function that was never called.
    pub(super) calls: Option<u64>,
    pub(super) function: FunctionName<'a>,
}

/// A function as the call graph names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FunctionName<'a> {
    pub(super) name: &'a str,
    /// The number that distinguishes functions of the same name.
    pub(super) index: Option<u64>,
}

impl FunctionName<'_> {
    /// Whether it is an entry for a whole cycle, which is not a function.
    pub(super) fn is_cycle(&self) -> bool {
        self.name.starts_with("<cycle ") && self.name.ends_with(" as a whole>")
    }
}

/// Splits off the first word.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Splits off a decimal number.
fn decimal(text: &str) -> Option<(Decimal, &str)> {
    let (first, rest) = word(text);
    Some((Decimal::parse(first)?, rest))
}

/// Parses `% cumulative own [calls own/call total/call] name`.
pub(super) fn row(line: &str) -> Option<FlatLine<'_>> {
    let (percent, rest) = decimal(line)?;
    let (cumulative, rest) = decimal(rest)?;
    let (own, rest) = decimal(rest)?;
    let counted = called(rest);
    let (calls, rest) = counted.map_or((None, rest), |(calls, rest)| (Some(calls), rest));
    let name = name(rest);
    (!name.name.is_empty()).then_some(FlatLine { percent, cumulative, own, calls, name: name.name })
}

/// Splits off calls and two times per call, of which the second includes callees.
fn called(text: &str) -> Option<((u64, Decimal), &str)> {
    let (calls, rest) = word(text);
    let (_, rest) = decimal(rest)?;
    let (total, rest) = decimal(rest)?;
    Some(((calls.parse().ok()?, total), rest))
}

/// Parses the function of an entry: `[index] % own callees calls[+recursive] name [index]`.
pub(super) fn entry(line: &str) -> Option<GraphLine<'_>> {
    let (_, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (_, rest) = decimal(rest)?;
    let (own, rest) = decimal(rest)?;
    let (callees, rest) = decimal(rest)?;
    let (first, after) = word(rest);
    let calls = first.split('+').try_fold(0_u64, |sum, more| sum.checked_add(more.parse().ok()?));
    let function = name(if calls.is_some() { after } else { rest });
    (!function.name.is_empty()).then_some(GraphLine { times: Some((own, callees)), calls, function })
}

/// Parses a caller or callee: `own callees calls/all name [index]`, or `calls name [index]` inside a cycle.
pub(super) fn relative(line: &str) -> Option<GraphLine<'_>> {
    let times = decimal(line).and_then(|(own, rest)| {
        let (callees, rest) = decimal(rest)?;
        Some(((own, callees), rest))
    });
    let (times, rest) = times.map_or((None, line), |(times, rest)| (Some(times), rest));
    let (calls, rest) = word(rest);
    let calls = calls.split_once('/').map_or(calls, |(some, _)| some);
    let function = name(rest);
    let calls = Some(calls.parse().ok()?);
    (!function.name.is_empty()).then_some(GraphLine { times, calls, function })
}

/// Parses `name <cycle 1> [index]`; the index is in parentheses where the function has no entry.
fn name(text: &str) -> FunctionName<'_> {
    let text = text.trim();
    let indexed = split_number(text, " [", ']').or_else(|| split_number(text, " (", ')'));
    let (name, index) = indexed.map_or((text, None), |(name, index)| (name, Some(index)));
    let name = match split_number(name, " <cycle ", '>') {
        Some((name, _)) => name,
        None => name,
    };
    FunctionName { name: name.trim_end(), index }
}

/// Splits off a number between `open` and `close` at the end of a text.
fn split_number<'a>(text: &'a str, open: &str, close: char) -> Option<(&'a str, u64)> {
    let (name, number) = text.strip_suffix(close)?.rsplit_once(open)?;
    Some((name, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{entry, relative, row};

    #[test]
    fn rows_with_and_without_calls() {
        let parsed = |line| row(line).map(|row| (row.own.scaled(2), row.calls.map(|it| it.0), row.name));
        assert_eq!(
            parsed(" 18.18      0.06     0.06    23480     0.00     0.00  f(int, int)"),
            Some((6, Some(23480), "f(int, int)"))
        );
        assert_eq!(
            parsed(" 25.91      1.16     0.50                             mcount"),
            Some((50, None, "mcount"))
        );
        assert_eq!(
            parsed("  0.00      0.33     0.00                             3 blind mice"),
            Some((0, None, "3 blind mice"))
        );
        assert_eq!(parsed(" time   seconds   seconds    calls  ms/call  ms/call  name    "), None);
        assert_eq!(parsed("  0.00  0.33  0.00   "), None);
    }

    #[test]
    fn lines_of_the_call_graph() {
        let found = entry("[4]     41.7    0.00    0.11     200+800     fact [4]").unwrap();
        assert_eq!((found.calls, found.function.name, found.function.index), (Some(1000), "fact", Some(4)));
        let found =
            entry("[2]    100.0    0.00    0.27                 main(int, char**) <cycle 1> [2]").unwrap();
        assert_eq!((found.calls, found.function.name), (None, "main(int, char**)"));
        assert!(
            entry("[3]     91.71    1.77     0.00    1+5    <cycle 1 as a whole> [3]")
                .unwrap()
                .function
                .is_cycle()
        );
        let found = relative("                0.07    0.00     600/2400        odd <cycle 1> [6]").unwrap();
        assert_eq!((found.calls, found.function.name, found.function.index), (Some(600), "odd", Some(6)));
        let found = relative("                                 800             wanew (cmd.c) [4]").unwrap();
        assert_eq!((found.times, found.calls, found.function.name), (None, Some(800), "wanew (cmd.c)"));
        let found = relative("    0.00    0.00     1/1        hidden (12)").unwrap();
        assert_eq!((found.function.name, found.function.index), ("hidden", Some(12)));
        assert_eq!(relative("        <spontaneous>"), None);
        assert_eq!(entry("[4]"), None);
        let found = entry("[4]     41.7    0.00    0.11     18446744073709551615+1     f [4]").unwrap();
        assert_eq!((found.calls, found.function.index), (None, Some(4)), "more calls than 64 bits count");
    }
}
