//! Whether a run was as expected: exit code, output, words that must or must not appear.

use lotse_host::RunReport;
use lotse_model::results::{Outcome, Status};
use lotse_model::suite::Expected;

use crate::options::ProgramSpec;
use crate::rules::left_behind;

/// Bytes of output that are compared with expectations; further output is counted but not compared.
pub(crate) const OUTPUT_LIMIT: usize = 1 << 20;

/// Whether standard output must be kept to judge a run.
pub(crate) fn needs_output(expected: &Expected) -> bool {
    expected.output.is_some() || !expected.output_contains.is_empty() || !expected.output_lacks.is_empty()
}

/// Whether standard error must be kept to judge a run.
pub(crate) fn needs_error(expected: &Expected) -> bool {
    !expected.error_contains.is_empty() || !expected.error_lacks.is_empty()
}

/// Judges a run that ended with an exit code.
pub(crate) fn judge(spec: &ProgramSpec, code: i32, report: &RunReport) -> Outcome {
    let outcome = |status, problem| Outcome { status, exit_code: Some(code), signal: None, problem };
    let codes = &spec.expected.exit_codes;
    let good_code = spec.any_exit_code || if codes.is_empty() { code == 0 } else { codes.contains(&code) };
    if !good_code {
        return outcome(Status::Failed, Some(format!("ended with exit code {code}")));
    }
    let problem = unmet_expectation(&spec.expected, &report.stdout.bytes, &report.stderr.bytes);
    let cut = if report.stdout.is_cut() || report.stderr.is_cut() {
        " (only its first MiB was looked at)"
    } else {
        ""
    };
    match problem.map(|problem| format!("{problem}{cut}")) {
        Some(problem) => outcome(Status::Invalid, Some(problem)),
        None => outcome(Status::Ok, report.left_behind.then(|| left_behind::PROBLEM.to_owned())),
    }
}

fn unmet_expectation(expected: &Expected, stdout: &[u8], stderr: &[u8]) -> Option<String> {
    let output = String::from_utf8_lossy(stdout);
    let error = String::from_utf8_lossy(stderr);
    let differs = expected.output.as_ref().filter(|wanted| wanted.trim() != output.trim());
    differs
        .map(|wanted| format!("printed {} instead of {}", shortened(&output), shortened(wanted)))
        .or_else(|| unmet_words("its output", &output, &expected.output_contains, &expected.output_lacks))
        .or_else(|| unmet_words("its error output", &error, &expected.error_contains, &expected.error_lacks))
}

fn unmet_words(place: &str, text: &str, wanted: &[String], unwanted: &[String]) -> Option<String> {
    let missing = wanted.iter().find(|word| !text.contains(word.as_str()));
    let present = unwanted.iter().find(|word| text.contains(word.as_str()));
    missing
        .map(|word| format!("{place} lacks {}", shortened(word)))
        .or_else(|| present.map(|word| format!("{place} contains {}", shortened(word))))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let line = text.trim();
    if line.chars().count() <= MOST {
        return format!("{line:?}");
    }
    format!("{:?}…", line.chars().take(MOST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use lotse_host::{RunReport, StartProblem};
    use lotse_model::results::{Program, Status};
    use lotse_model::suite::Expected;

    use super::{judge, unmet_expectation};
    use crate::options::{Hooks, Input, Output, ProgramSpec};
    use crate::rules::left_behind;

    #[test]
    fn expectations_are_judged_one_by_one() {
        let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let output = Expected { output: Some("42\n".into()), ..Expected::default() };
        let contains = Expected { output_contains: words(&["4", "2"]), ..Expected::default() };
        let lacks = Expected { output_lacks: words(&["error"]), ..Expected::default() };
        let quiet = Expected { error_lacks: words(&["warning"]), ..Expected::default() };
        let cases: &[(&Expected, &str, &str, Option<&str>)] = &[
            (&output, "42", "", None),
            (&output, "43", "", Some(r#"printed "43" instead of "42""#)),
            (&contains, "24", "", None),
            (&contains, "44", "", Some(r#"its output lacks "2""#)),
            (&lacks, "an error", "", Some(r#"its output contains "error""#)),
            (&quiet, "", "warning: x", Some(r#"its error output contains "warning""#)),
        ];
        for (expected, stdout, stderr, wanted) in cases {
            assert_eq!(unmet_expectation(expected, stdout.as_bytes(), stderr.as_bytes()).as_deref(), *wanted);
        }
    }

    fn spec(expected: Expected, any_exit_code: bool) -> ProgramSpec {
        ProgramSpec {
            program: Program::default(),
            alternatives: vec![],
            are_builds: false,
            environment: vec![],
            directory: None,
            directories: Vec::new(),
            input: Input::Null,
            output: Output::Null,
            hooks: Hooks::default(),
            expected,
            any_exit_code,
            timeout: None,
        }
    }

    fn printed(text: &str) -> RunReport {
        let mut report = RunReport::not_started(StartProblem::EmptyCommand);
        report.stdout.bytes = text.into();
        report
    }

    #[test]
    fn the_code_is_judged_before_the_output() {
        let codes = |codes: &[i32]| Expected {
            exit_codes: codes.into(),
            output: Some("yes".into()),
            ..Expected::default()
        };
        let cases: &[(&[i32], bool, i32, &str, Status)] = &[
            (&[], false, 0, "yes", Status::Ok),
            (&[], false, 0, "no", Status::Invalid),
            (&[], false, 1, "no", Status::Failed),
            (&[], true, 1, "yes", Status::Ok),
            (&[], true, 1, "no", Status::Invalid),
            (&[1, 2], false, 2, "yes", Status::Ok),
            (&[1, 2], false, 0, "yes", Status::Failed),
        ];
        for &(allowed, any, code, text, status) in cases {
            let outcome = judge(&spec(codes(allowed), any), code, &printed(text));
            assert_eq!(
                (outcome.status, outcome.exit_code),
                (status, Some(code)),
                "{allowed:?} {code} {text}"
            );
            assert_eq!(outcome.problem.is_some(), status != Status::Ok);
        }
    }

    #[test]
    fn output_that_was_cut_is_named_as_such() {
        let mut report = printed("yes");
        report.stdout.total = 1 << 30;
        let wanted = Expected { output_contains: vec!["no".into()], ..Expected::default() };
        let problem = judge(&spec(wanted, false), 0, &report).problem.unwrap();
        assert_eq!(problem, r#"its output lacks "no" (only its first MiB was looked at)"#);
    }

    #[test]
    fn processes_left_behind_do_not_make_a_run_bad() {
        let report = RunReport { left_behind: true, ..printed("") };
        let outcome = judge(&spec(Expected::default(), false), 0, &report);
        assert_eq!((outcome.status, outcome.problem.as_deref()), (Status::Ok, Some(left_behind::PROBLEM)));
    }

    #[test]
    fn long_output_is_cut_between_letters() {
        let wanted = Expected { output: Some("ü".repeat(41)), ..Expected::default() };
        let found = unmet_expectation(&wanted, "ä".repeat(40).as_bytes(), b"").unwrap();
        assert_eq!(found, format!("printed \"{}\" instead of \"{}\"…", "ä".repeat(40), "ü".repeat(40)));
    }
}
