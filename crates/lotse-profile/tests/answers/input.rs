//! Small profiles as text, and functions that open and print them.

use lotse_model::bytes::Memory;
use lotse_model::id::FunctionId;
use lotse_model::{NoProgress, Profile};
use lotse_profile::analysis::{Analysis, CycleMode};
use lotse_profile::events::{Column, EventTypes};
use lotse_profile::open::{Opened, Request, open};
use lotse_report::{Document, FORMATS, Options};

/// `main` calls `qsort` in another object, which calls `compare` in the first; `clean` has no caller.
pub(crate) const CALLGRIND: &str = "# callgrind format\nversion: 1\ncreator: test\ncmd: ./prog -x\n\
    positions: line\nevents: Ir Dw\n\npart: 1\ndesc: Trigger: Program termination\n\
    ob=(1) /opt/bin/prog\nfl=(1) /src/main.c\nfn=(1) main\n3 1000 10\ncob=(2) /lib/libc.so.6\ncfi=(2) sort.c\n\
    cfn=(2) qsort\ncalls=1 20\n4 8000 50\n\nob=(2)\nfl=(2)\nfn=(2)\n20 2000 20\n22 1000 0\ncob=(1)\ncfi=(1)\n\
    cfn=(3) _ZN3app7compareEii\ncalls=2500 40\n21 5000 30\n\nob=(1)\nfl=(1)\nfn=(3)\n40 5000 30\n\n\
    fn=(4) clean\n50 1000 0\n\ntotals: 10000 60\n";

/// Two functions that call each other, with samples of three stacks.
pub(crate) const COLLAPSED: &str = "main;even;odd;even 4\nmain;even;leaf 3\nmain;idle 2\nmain 1\n";

/// Opens a text, and calls `check` with the profile, its analysis and its columns.
pub(crate) fn with<T>(text: &str, check: impl FnOnce(&Opened<'_>, &Analysis<'_>, &[Column]) -> T) -> T {
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let opened = open(&source, &Request::default(), &mut NoProgress).unwrap();
    opened.profile.check().unwrap();
    let analysis = Analysis::of_default_parts(&opened.profile, CycleMode::Folded);
    check(&opened, &analysis, &columns(&opened.profile))
}

/// Columns of the profile's own event types.
pub(crate) fn columns(profile: &Profile) -> Vec<Column> {
    EventTypes::new(profile, &[]).unwrap().own()
}

/// The function with a name.
pub(crate) fn function(profile: &Profile, name: &str) -> FunctionId {
    profile.functions.ids().find(|&id| profile.function_name(id) == name).unwrap()
}

/// The document as on a terminal of 110 columns, without trailing blanks.
pub(crate) fn terminal(document: &Document) -> String {
    rendered(document, "terminal")
}

/// The document as CSV.
pub(crate) fn csv(document: &Document) -> String {
    rendered(document, "csv")
}

fn rendered(document: &Document, format: &str) -> String {
    let format = FORMATS.iter().find(|it| it.name == format).unwrap();
    let mut bytes = Vec::new();
    (format.render)(document, Options { width: 110, ..Options::default() }, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
