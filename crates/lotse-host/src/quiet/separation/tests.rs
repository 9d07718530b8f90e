//! The order of journal, change, check and undo on a fake machine.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use super::super::actions::choose;
use super::super::error::QuietError;
use super::super::fake::FakeKernel;
use super::super::journal;
use super::super::process::own_pid;
use super::{Separation, SeparationOptions};

const TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
const PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
const CACHES: &str = "/proc/sys/vm/drop_caches";

/// A laptop with turbo and huge pages; its owner is this process.
fn laptop() -> Rc<FakeKernel> {
    let kernel = FakeKernel::new(&[
        ("/proc/sys/kernel/random/boot_id", "now"),
        (TURBO, "0"),
        (PAGES, "always [madvise] never"),
        (CACHES, "0"),
    ]);
    kernel.process(own_pid(), "lotse", 1, 1, 0, 0, 0);
    Rc::new(kernel)
}

fn begin(kernel: &Rc<FakeKernel>, folder: &Path, list: &[&str]) -> Result<Separation, QuietError> {
    let watchdog = ["sh", "-c", "echo ready; cat > /dev/null"].map(Into::into).to_vec();
    let options = SeparationOptions { actions: choose(list).unwrap(), watchdog, ..Default::default() };
    let directory = Some(folder.to_owned());
    Separation::begin_on(Box::new(Rc::clone(kernel)), directory, &options, own_pid().cast_unsigned())
}

/// The only journal's text.
fn journal_text(folder: &Path) -> String {
    let paths = journal::list(folder).unwrap();
    fs::read_to_string(&paths[0]).unwrap()
}

#[test]
fn a_change_is_written_down_before_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = laptop();
    let place = folder.path().to_owned();
    kernel.watched_by(move |file| {
        let text = journal_text(&place);
        assert!(text.contains(file), "{file} is written before the journal says so: {text}");
        assert!(text.contains("\"owner\""), "{text}");
    });
    let separation = begin(&kernel, folder.path(), &["turbo", "thp"]).unwrap();
    assert_eq!((kernel.text(TURBO).as_str(), kernel.text(PAGES).as_str()), ("1", "always madvise [never]"));
    let effects: Vec<&str> = separation.record().applied.iter().map(|it| it.effect.as_str()).collect();
    assert_eq!(effects, ["turbo off", "thp never"]);
    assert!(separation.end().is_empty());
    assert_eq!((kernel.text(TURBO).as_str(), kernel.text(PAGES).as_str()), ("0", "always [madvise] never"));
    assert!(journal::list(folder.path()).unwrap().is_empty());
    assert_eq!(kernel.written.borrow().len(), 4);
}

#[test]
fn an_action_without_effect_is_taken_back_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = laptop();
    kernel.ignores(TURBO);
    let separation = begin(&kernel, folder.path(), &["turbo", "thp", "governor"]).unwrap();
    let record = separation.record().clone();
    assert_eq!(record.applied.len(), 1);
    let refused: Vec<String> =
        record.refused.iter().map(|it| format!("{}: {}", it.action, it.reason)).collect();
    assert_eq!(
        refused,
        [
            format!("turbo: no effect: `{TURBO}` is 0 after writing 1"),
            "governor: this machine does not let its frequency be governed".to_owned()
        ]
    );
    let read = journal::parse(&journal_text(folder.path())).unwrap();
    assert!(read.changes.iter().all(|change| change.action == "thp"), "{read:?}");
    drop(separation);
    assert_eq!(kernel.text(PAGES), "always [madvise] never");
}

#[test]
fn changes_by_others_are_reported_and_failed_restores_stay_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = laptop();
    let separation = begin(&kernel, folder.path(), &["turbo", "thp"]).unwrap();
    kernel.put(PAGES, "[always] madvise never");
    kernel.forbids(TURBO);
    let lines = separation.end();
    assert!(lines.iter().any(|line| line.contains("now it is always: somebody else")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("turbo: ") && line.contains("could not be put back")));
    assert_eq!(kernel.text(PAGES), "[always] madvise never");
    assert!(journal_text(folder.path()).contains(TURBO));
}

#[test]
fn what_comes_before_every_run_needs_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = laptop();
    let separation = begin(&kernel, folder.path(), &["drop-caches"]).unwrap();
    separation.before_run().unwrap();
    separation.before_run().unwrap();
    // The trial before the first run.
    assert_eq!(*kernel.written.borrow(), [(); 3].map(|()| format!("{CACHES} 3")));
    assert!(journal::list(folder.path()).unwrap().is_empty());
}

#[test]
fn without_a_journal_or_a_watchdog_nothing_is_changed() {
    let kernel = laptop();
    let actions = choose(&["turbo"]).unwrap();
    let number = own_pid().cast_unsigned();
    let options = SeparationOptions { actions, watchdog: vec!["false".into()], ..Default::default() };
    let begin = |directory: Option<&Path>| {
        Separation::begin_on(Box::new(Rc::clone(&kernel)), directory.map(Into::into), &options, number).err()
    };
    assert!(matches!(begin(None), Some(QuietError::NoState)));
    assert!(matches!(begin(Some(Path::new("/dev/null/x"))), Some(QuietError::Journal(_))));
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(begin(Some(folder.path())), Some(QuietError::Watchdog(_))));
    assert!(journal::list(folder.path()).unwrap().is_empty());
    assert!(kernel.written.borrow().is_empty());
}
