//! Dumps of one run in several files; the file named by the user may be empty (pitfall 11).

use std::io;

use lotse_formats::format::Confidence;
use lotse_formats::{FormatError, claims, read_profile};
use lotse_model::bytes::Source;
use lotse_model::work::Sequential;

use crate::check::{as_text, details_add_up, messages};

/// Files beside each other, the first of them opened.
struct Files(Vec<(&'static str, Vec<u8>)>);

impl Source for Files {
    fn name(&self) -> &str {
        self.0[0].0
    }

    fn bytes(&self) -> &[u8] {
        &self.0[0].1
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        let found = self.0.iter().find(|it| it.0 == name && it.1 != b"unreadable");
        found.map(|it| it.1.clone()).ok_or(io::ErrorKind::PermissionDenied.into())
    }

    fn siblings(&self) -> io::Result<Vec<String>> {
        Ok(self.0[1..].iter().map(|it| it.0.to_owned()).collect())
    }
}

fn dump(pid: u64, part: u64, thread: Option<u64>, cost: u64) -> Vec<u8> {
    let thread = thread.map_or(String::new(), |thread| format!("thread: {thread}\n"));
    format!(
        "# callgrind format\ncreator: callgrind-3.19.0\npid: {pid}\ncmd: ./x\npart: {part}\n{thread}\n\
         events: A\nfl=(1) a.c\nfn=(1) f\n1 {cost}\ntotals: {cost}\n"
    )
    .into_bytes()
}

/// The costs by part, the files of the parts, and the diagnostics.
fn read(files: Vec<(&'static str, Vec<u8>)>) -> (String, Vec<String>, Vec<String>) {
    let source = Files(files);
    let reading = read_profile(&source, None, &Sequential).unwrap();
    assert_eq!((reading.format_id, reading.value.check()), ("callgrind", Ok(())));
    details_add_up(&source, &reading.value);
    let parts = &reading.value.parts;
    let sources = parts.iter().map(|part| part.source.clone().unwrap_or("alone".to_owned()));
    (as_text(&reading.value), sources.collect(), messages(&reading))
}

/// The name of the run counts all its dumps; the name of a dump only that one. All parts can be selected.
#[test]
fn the_name_of_a_run_counts_all_dumps_and_that_of_a_dump_only_itself() {
    let names = ["out.7", "out.7.1", "out.7.2", "out.7.10"];
    let files = [dump(7, 11, None, 1), dump(7, 1, None, 2), dump(7, 2, None, 4), dump(7, 10, None, 8)];
    for opened in 0..names.len() {
        let mut run: Vec<_> = names.into_iter().zip(files.clone()).collect();
        run.swap(0, opened);
        let source = Files(run.clone());
        let reading = read_profile(&source, None, &Sequential).unwrap();
        let counted = reading.value.parts.iter().filter(|part| part.selected);
        let counted: Vec<&str> = counted.map(|part| part.source.as_deref().unwrap()).collect();
        let (text, sources, messages) = read(run);
        assert_eq!(sources, ["out.7.1", "out.7.2", "out.7.10", "out.7"], "{}", names[opened]);
        assert_eq!(text, "?:a.c:f [2]\n--\n?:a.c:f [4]\n--\n?:a.c:f [8]\n--\n?:a.c:f [1]\n");
        let expected = match opened {
            0 => {
                assert_eq!(counted, sources);
                "Note the whole input: 3 more files of the same run are added up with it: out.7.1, out.7.2, out.7.10; \
                 to read one alone, name it with its number, or choose with --parts"
            }
            1 => {
                "Note the whole input: only out.7.1 counts, not the 3 other files of the same run: out.7.2, out.7.10, \
                 out.7; name out.7 or use --parts all to read the whole run"
            }
            _ => messages[0].as_str(),
        };
        assert_eq!(messages, [expected]);
        assert!(opened == 0 || counted == [names[opened]], "{counted:?}");
    }
}

/// A number that is part of the name is not the number of a thread.
#[test]
fn a_name_that_ends_like_a_thread_is_the_name_of_the_run() {
    let run = vec![("run-7", dump(7, 2, None, 1)), ("run-7.1", dump(7, 1, None, 2))];
    let (_, sources, messages) = read(run);
    assert_eq!(sources, ["run-7.1", "run-7"]);
    assert!(messages[0].contains("added up with it"), "{messages:?}");
}

/// Damage of a file that does not count is not a loss.
#[test]
fn damage_of_a_dump_that_does_not_count_is_a_note() {
    let mut cut = dump(7, 2, None, 12);
    cut.truncate(cut.len() - "2\ntotals: 12\n".len());
    let source = Files(vec![("out.7.1", dump(7, 1, None, 1)), ("out.7", cut)]);
    let reading = read_profile(&source, None, &Sequential).unwrap();
    assert!(reading.complete() && reading.diagnostics.len() == 2, "{:?}", reading.diagnostics);
}

/// With `--separate-threads=yes` the file named by the user is empty and stands for those of the threads.
#[test]
fn an_empty_file_stands_for_its_threads() {
    for name in ["x", "callgrind.out.7", "run-7", "/tmp/dir.1/x", "C:\\dir\\x"] {
        let stem = name.rsplit(['/', '\\']).next().unwrap();
        let beside = |end: &str| -> &'static str { format!("{stem}{end}").leak() };
        let run = vec![
            (name, Vec::new()),
            (beside("-02"), dump(7, 1, Some(2), 4)),
            (beside("-01"), dump(7, 1, Some(1), 2)),
            (beside("-03.txt"), dump(7, 1, Some(3), 8)),
        ];
        let (text, sources, messages) = read(run);
        assert_eq!(sources, [beside("-01"), beside("-02")]);
        assert_eq!(text, "?:a.c:f [2]\n--\n?:a.c:f [4]\n");
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].starts_with(&format!("Note the whole input: {stem} is empty")), "{messages:?}");
    }
}

/// While a program runs, dumps on request have numbers and the file named is empty.
#[test]
fn an_empty_file_stands_for_its_numbered_dumps() {
    let run = vec![("x", Vec::new()), ("x.2", dump(7, 2, None, 4)), ("x.1", dump(7, 1, None, 2))];
    assert_eq!(read(run).1, ["x.1", "x.2"]);
    let both = vec![
        ("x", Vec::new()),
        ("x.1-01", dump(7, 1, Some(1), 1)),
        ("x.1-02", dump(7, 1, Some(2), 2)),
        ("x-01", dump(7, 2, Some(1), 4)),
        ("x-02", Vec::new()),
    ];
    let (_, sources, messages) = read(both);
    assert_eq!(sources, ["x.1-01", "x.1-02", "x-01"]);
    assert!(messages.len() == 2 && messages.iter().any(|it| it.contains("x-02 is empty")), "{messages:?}");
}

/// Dumps that an earlier run left under the same name are of another process and are left out.
#[test]
fn the_last_dumps_decide_which_run_it_is() {
    let run = vec![
        ("x", Vec::new()),
        ("x.1-01", dump(3, 1, Some(1), 100)),
        ("x-01", dump(7, 1, Some(1), 2)),
        ("x-02", dump(7, 1, Some(2), 4)),
        ("x-03", dump(3, 1, Some(3), 100)),
    ];
    assert_eq!(read(run).1, ["x-01", "x-02"]);
}

/// An empty file without callgrind files beside it is not a profile.
#[test]
fn an_empty_file_alone_is_not_a_profile() {
    let rows = [
        vec![("x", Vec::new())],
        vec![("x", Vec::new()), ("x-01", Vec::new())],
        vec![("x", Vec::new()), ("x-01", b"hello".to_vec()), ("y-01", dump(7, 1, None, 1))],
        vec![("x", Vec::new()), ("x-01", b"unreadable".to_vec())],
        vec![("x", Vec::new()), ("x1", dump(7, 1, None, 1)), ("x-a", dump(7, 1, None, 1))],
    ];
    for files in rows {
        let source = Files(files);
        assert!(claims(&source).is_empty());
        let error = read_profile(&source, None, &Sequential).unwrap_err();
        assert!(matches!(error, FormatError::Unrecognised { .. }), "{error}");
        let error = read_profile(&source, Some("callgrind"), &Sequential).unwrap_err();
        assert!(error.to_string().contains("expected a line `events:`"), "{error}");
    }
}

/// The claim for an empty file is as certain as that of its siblings.
#[test]
fn only_callgrind_claims_an_empty_file() {
    let source = Files(vec![("x", Vec::new()), ("x-01", dump(7, 1, Some(1), 1))]);
    let claims: Vec<_> = claims(&source).into_iter().map(|(format, sure)| (format.id, sure)).collect();
    assert_eq!(claims, [("callgrind", Confidence::Certain)]);
}

/// A sibling that cannot be read is a loss; a file of another run is ignored.
#[test]
fn siblings_that_cannot_be_read_are_reported() {
    let run = vec![
        ("out.7", dump(7, 2, None, 1)),
        ("out.7.1", b"unreadable".to_vec()),
        ("out.7.3", dump(9, 3, None, 1)),
        ("out.7.4", b"no profile".to_vec()),
    ];
    let (_, sources, messages) = read(run);
    assert_eq!(sources, ["alone"]);
    assert!(
        messages.len() == 1 && messages[0].starts_with("Loss the whole input: out.7.1 may be a part"),
        "{messages:?}"
    );
}

/// A cut sibling is reported with its name and line.
#[test]
fn a_cut_sibling_is_reported_with_its_name() {
    let mut cut = dump(7, 1, None, 12);
    cut.truncate(cut.len() - "2\ntotals: 12\n".len());
    let (text, _, messages) = read(vec![("out.7", dump(7, 2, None, 1)), ("out.7.1", cut)]);
    assert_eq!(text, "?:a.c:f [1]\n--\n?:a.c:f [1]\n");
    assert_eq!(
        messages[0],
        "Loss line 10: out.7.1: the file ends inside this line; what came after is missing"
    );
}
