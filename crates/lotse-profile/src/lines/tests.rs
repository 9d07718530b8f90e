//! Lines of small files, with costs computed by hand.

use lotse_model::NoProgress;
use lotse_model::bytes::Memory;

use super::{LineOrder, LinesQuery, RankedLines, ranked_lines};
use crate::analysis::{Analysis, CycleMode};
use crate::events::{Cost, EventTypes};
use crate::open::{Request, open};

/// `inline.h` is part of f and g; f recurs; main calls f from line 3 and g from line 4.
const CALLS: &str = "# callgrind format\nevents: Ir\n\nfl=a.c\nfn=main\n2 10\n3 1\ncfn=f\ncalls=1 20\n3 60\n4 2\n\
                     cfn=g\ncalls=1 30\n4 27\nfn=f\n20 15\nfi=inline.h\n7 40\nfe=a.c\n21 5\ncfn=f\ncalls=1 20\n21 9\n\
                     fn=g\n30 20\nfi=inline.h\n7 7\n";

fn ranked(text: &str, order: LineOrder, limit: Option<usize>) -> RankedLines {
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let opened = open(&source, &Request::default(), &mut NoProgress).unwrap();
    let columns = [EventTypes::new(&opened.profile, &[]).unwrap().default().unwrap().clone()];
    let analysis = Analysis::of_default_parts(&opened.profile, CycleMode::Folded);
    ranked_lines(&opened, &analysis, &LinesQuery { columns: &columns, order, limit }).unwrap()
}

/// `file:line self inclusive function +others`
fn shown(found: &RankedLines) -> Vec<String> {
    let number = |cost: &Cost| cost.as_f64().to_string();
    let line = |it: &super::RankedLine| {
        let inclusive = it.inclusive.as_ref().map_or_else(|| "-".to_owned(), |all| number(&all[0]));
        let (function, others) = (&it.function.display, it.functions - 1);
        format!("{}:{} {} {inclusive} {function} +{others}", it.file, it.line, number(&it.own[0]))
    };
    found.lines.iter().map(line).collect()
}

#[test]
fn lines_of_files_with_calls() {
    let found = ranked(CALLS, LineOrder::Own, None);
    let expected = [
        "inline.h:7 47 - f +1",
        "a.c:30 20 20 g +0",
        "a.c:20 15 - f +0",
        "a.c:2 10 10 main +0",
        "a.c:21 5 - f +0",
        "a.c:4 2 29 main +0",
        "a.c:3 1 61 main +0",
    ];
    assert_eq!(shown(&found), expected);
    assert_eq!((found.count, found.without_line), (7, vec![Cost::Exact(0)]));
    let first = ranked(CALLS, LineOrder::Inclusive, Some(2));
    assert_eq!(shown(&first), ["a.c:3 1 61 main +0", "a.c:4 2 29 main +0"]);
    assert_eq!((first.count, first.hidden), (7, vec![Cost::Exact(97)]));
}

/// A line counts once per stack, also in recursion; samples without a line are counted, too.
#[test]
fn lines_of_stacks() {
    let text = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[
        {"name":"main","file":"a.c","line":3},{"name":"f","file":"a.c","line":20},{"name":"g","file":"b.c","line":7},
        {"name":"x"}]},"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":9,
        "samples":[[0,1,1,2],[0,1],[0,2],[3]],"weights":[4,2,1,2]}]}"#;
    let found = ranked(text, LineOrder::Own, None);
    assert_eq!(shown(&found), ["b.c:7 5 5 g +0", "a.c:20 2 6 f +0", "a.c:3 0 7 main +0"]);
    assert_eq!(found.without_line, [Cost::Exact(2)]);
}
