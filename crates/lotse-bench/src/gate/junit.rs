//! The gate's answer as a JUnit report, which most services that build software show.

use super::answer::{Check, Decision, GateAnswer};
use super::report::{judged, sentence};

/// The report. Undecided, new and absent programs are reported as skipped tests: they neither pass nor fail.
pub fn junit(answer: &GateAnswer) -> String {
    let count =
        |wanted: &[Decision]| answer.checks.iter().filter(|check| wanted.contains(&check.decision)).count();
    let head = format!(
        "<testsuite name=\"lotse bench gate\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        answer.checks.len(),
        count(&[Decision::Regression]),
        count(&[Decision::Failed]),
        count(&[Decision::Undecided, Decision::New, Decision::Absent]),
    );
    let cases: String = answer.checks.iter().map(|check| test_case(answer, check)).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{head}\n{}{cases}</testsuite>\n", properties(answer))
}

/// What was judged and against what.
fn properties(answer: &GateAnswer) -> String {
    let result = answer.result.as_ref().map(|kept| ("result", judged(kept)));
    let all = result.into_iter().chain([("baseline", answer.baseline.clone())]);
    let lines: String = all
        .map(|(name, value)| format!("    <property name=\"{name}\" value=\"{}\"/>\n", escaped(&value)))
        .collect();
    format!("  <properties>\n{lines}  </properties>\n")
}

fn test_case(answer: &GateAnswer, check: &Check) -> String {
    let open =
        format!("  <testcase classname=\"{}\" name=\"{}\"", escaped(&check.metric), escaped(&check.program));
    let message = escaped(&sentence(answer, check));
    let outcome = match check.decision {
        Decision::Pass => return format!("{open}/>\n"),
        Decision::Regression => "failure",
        Decision::Failed => "error",
        Decision::Undecided | Decision::New | Decision::Absent => "skipped",
    };
    format!("{open}>\n    <{outcome} message=\"{message}\"/>\n  </testcase>\n")
}

/// Escapes a text for an XML attribute. Characters that XML does not allow become replacement characters.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push_str("&#10;"),
            '\t' => safe.push_str("&#9;"),
            letter if (letter as u32) < 0x20 || matches!(letter, '\u{FFFE}' | '\u{FFFF}') => {
                safe.push('\u{FFFD}')
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{Decision, escaped, junit};
    use crate::gate::{Check, GateAnswer, Limits};

    fn check(program: &str, decision: Decision) -> Check {
        Check {
            program: program.to_owned(),
            metric: "wall".to_owned(),
            unit: lotse_model::unit::Unit::Seconds,
            value: Some(1.1),
            together: 1,
            baseline: Some(1.0),
            against: "the last 10 results".to_owned(),
            results: 10,
            ratio: Some(1.1),
            interval: [Some(1.05), Some(1.15)],
            decision,
            reason: None,
        }
    }

    #[test]
    fn each_program_is_a_test() {
        let decisions =
            [Decision::Pass, Decision::Regression, Decision::Undecided, Decision::Failed, Decision::New];
        let checks = decisions.map(|decision| check("./app \"<&>\"", decision)).to_vec();
        let text =
            junit(&GateAnswer::from_checks("the last 10 results".to_owned(), &Limits::default(), checks));
        let tree = roxmltree::Document::parse(&text).unwrap();
        let root = tree.root_element();
        let number = |name: &str| root.attribute(name).unwrap().parse::<u32>().unwrap();
        assert_eq!(["tests", "failures", "errors", "skipped"].map(number), [5, 1, 1, 2]);
        let property = root.descendants().find(|node| node.attribute("name") == Some("baseline")).unwrap();
        assert_eq!(property.attribute("value"), Some("the last 10 results"));
        let cases: Vec<_> = root.children().filter(|node| node.has_tag_name("testcase")).collect();
        assert!(cases.iter().all(|case| case.attribute("name") == Some("./app \"<&>\"")));
        let failure = cases[1].first_element_child().unwrap();
        assert_eq!(failure.tag_name().name(), "failure");
        let message = failure.attribute("message").unwrap();
        assert!(
            message.contains("+10.0 % (+5.0 % to +15.0 %) against the last 10 results; more than 2.0 %"),
            "{message}"
        );
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(escaped("a\u{1}\n\u{FFFE}"), "a\u{FFFD}&#10;\u{FFFD}");
    }
}
