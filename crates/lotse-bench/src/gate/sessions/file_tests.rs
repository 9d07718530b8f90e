//! Baselines that are files, and those that only the judged result has.

use lotse_model::Fingerprint;
use lotse_store::StoredResult;

use super::judge;
use super::tests::{entry, history};
use crate::gate::{Baseline, BaselineError, Decision, Limits};

#[test]
fn a_result_file_counts_once_and_not_against_itself() {
    let (new, one, two, mut elsewhere) = (entry(0, 2.0), entry(0, 1.0), entry(0, 1.01), entry(0, 0.99));
    let copy = StoredResult { date: "2026-11-18T10:00:00Z".into(), ..one.clone() };
    let judge_files = |files: &[&StoredResult]| {
        let files = Baseline::Files(files.iter().map(|file| (*file).clone()).collect());
        judge(&new, &[], &files, &Limits::default())
    };
    let twice = judge_files(&[&one, &copy]).unwrap();
    assert_eq!((twice.decision, twice.checks[0].results), (Decision::Undecided, 1));
    assert_eq!(twice.remarks, ["1 of 2 result files is left out: given more than once"]);
    assert_eq!(judge_files(&[&new]), Err(BaselineError::Judged));
    elsewhere.machine = Some(Fingerprint { processor: Some("Y".into()), ..Fingerprint::default() });
    let some = judge_files(&[&one, &two, &elsewhere, &new]).unwrap();
    assert_eq!((some.baseline.as_str(), some.checks[0].results), ("2 result files", 2));
    assert_eq!(some.remarks.len(), 2, "{:?}", some.remarks);
    assert!(some.remarks[1].contains("1 of 3 result files is left out: of another machine"), "{some:?}");
}

#[test]
fn a_baseline_that_only_the_judged_result_has_is_explained() {
    let mut both = entry(13, 1.0);
    both.labels.push("cur".into());
    both.points[0].commit = Some("slow".into());
    let error =
        |baseline: &Baseline| judge(&both, &history(), baseline, &Limits::default()).unwrap_err().to_string();
    let commit = Baseline::Commit { name: "slow".into(), commit: "slow".into() };
    assert!(error(&commit).contains("judged result has measured it beside"), "{}", error(&commit));
    let label = Baseline::Label("cur".into());
    assert!(error(&label).contains("only the judged result itself has that label"), "{}", error(&label));
}
