//! Formats are recognised by content, and by name between formats that are equally likely.

use lotse_formats::{claims, read_results, read_suite};
use lotse_model::bytes::Memory;

/// The formats that claim the bytes and their confidence, the highest first.
fn claimed(name: &str, bytes: &[u8]) -> String {
    let claims = claims(&Memory { name, bytes });
    claims
        .iter()
        .map(|(format, confidence)| format!("{} {confidence:?}", format.id))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn the_format_is_recognised_from_the_content_alone() {
    for (content, expected) in [
        (r#"{"schema": "lotse.bench.log/1", "programs": []}"#, "lotse-log Certain"),
        (r#"{"programs": [], "schema": "lotse.bench/2"}"#, "lotse-json Certain"),
        (r#"{"results": [{"command": "a", "times": [1"#, "hyperfine Certain"),
        (r#"{"results": [{"command": "a", "measurements": [{}]}]}"#, "hyperfine Certain"),
        (r#"{"results": [{"command": "a"}]}"#, "hyperfine Likely"),
        (r#"{"schema_version": 2, "results": []}"#, "hyperfine Likely"),
        (r#"{"results": []}"#, "hyperfine Possible"),
        ("- data: {}\n", "temci Certain"),
        ("- property_descriptions: {}\n", "temci Certain"),
        ("- run_config: {cmd: ls}\n", "temci-suite Certain"),
        (r#"[{"run_config": {"cmd": "ls"}}]"#, "temci-suite Certain"),
        ("- run_config: {cmd: ls}\n  data: {}\n", "temci Likely, temci-suite Likely"),
        ("- attributes: {}\n", "temci Possible, temci-suite Possible"),
        ("- build_config: {}\n", "temci-suite Possible"),
    ] {
        assert_eq!(claimed("-", content.as_bytes()), expected, "{content}");
    }
}

#[test]
fn what_is_no_result_is_claimed_by_nobody() {
    for content in [
        &b""[..],
        b"\n\n",
        b"hello",
        b"null",
        b"[1, 2]",
        b"{}",
        br#"{"schema": "lotse.trace/1"}"#,
        br#"{"schema": 1}"#,
        b"results: none of your business? no: [",
        b"\x7fELF\x02\x01\x01\0\0\0",
        b"\xff\xfe{\0\"\0",
        b"\0\0\0\0",
    ] {
        let found = claimed("results.json", content);
        assert!(!found.contains("Certain") && !found.contains("Likely"), "{content:?}: {found}");
        let error = read_suite(&Memory { name: "f", bytes: content }, None).unwrap_err().to_string();
        assert!(error.starts_with("f is in none of the formats read here (temci-suite)"), "{error}");
    }
}

/// Both formats claim it with certainty.
const LOG_AND_HYPERFINE: &str =
    r#"{"schema": "lotse.bench.log/1", "programs": [], "results": [{"command": "a", "times": [1]}]}"#;

#[test]
fn the_name_decides_between_equal_claims() {
    for (name, expected) in [("a.jsonl", "lotse-log"), ("a.log", "lotse-log"), ("a.json", "hyperfine")] {
        let source = Memory { name, bytes: LOG_AND_HYPERFINE.as_bytes() };
        assert_eq!(read_results(&source, None).unwrap().format_id, expected, "{name}");
    }
    assert_eq!(claimed("jsonl", LOG_AND_HYPERFINE.as_bytes()), "lotse-log Certain, hyperfine Certain");
    let content = b"- run_config: {cmd: ls}\n";
    assert_eq!(claimed("a.json", content), "temci-suite Certain", "a name makes no claim");
}

#[test]
fn the_user_is_asked_where_names_tie_too() {
    let source = Memory { name: "a.txt", bytes: LOG_AND_HYPERFINE.as_bytes() };
    let error = read_results(&source, None).unwrap_err().to_string();
    assert_eq!(error, "a.txt could be any of lotse-log, hyperfine: choose one with --format");
    assert_eq!(read_results(&source, Some("hyperfine")).unwrap().value.runs.len(), 1);

    let answer = r#"{"schema": "lotse.bench/1", "programs": [], "results": [{"command": "a", "times": []}]}"#;
    let source = Memory { name: "a.json", bytes: answer.as_bytes() };
    let error = read_results(&source, None).unwrap_err().to_string();
    assert_eq!(error, "a.json could be any of lotse-json, hyperfine: choose one with --format");
}

#[test]
fn a_block_of_temci_is_read_as_result_and_as_suite() {
    let source = Memory {
        name: "x.yaml",
        bytes: b"- attributes: {description: a}\n  run_config: {cmd: ls}\n  data: {utime: [1]}\n",
    };
    assert_eq!(read_results(&source, None).unwrap().value.runs.len(), 1);
    assert_eq!(read_suite(&source, None).unwrap().value.programs[0].commands, ["ls"]);
    let error = read_suite(&source, Some("hyperfine")).unwrap_err().to_string();
    assert_eq!(error, "hyperfine is a format for a benchmark result, but a benchmark suite is needed here");
}

/// Only the beginning is parsed, so that a file of any size is recognised quickly, even if a character is cut in two.
#[test]
fn a_long_file_is_recognised_by_its_head() {
    for shift in 0..3 {
        let names = "ä".repeat(40_000);
        let head = " ".repeat(shift);
        let text =
            format!("{head}{{\"results\": [{{\"command\": \"a\", \"times\": [1], \"x\": \"{names}\"}}]}}");
        assert_eq!(claimed("-", text.as_bytes()), "hyperfine Certain", "{shift}");
    }
    let entry = "- attributes: {description: a}\n  data: {utime: [1, 2, 3]}\n";
    assert_eq!(claimed("-", entry.repeat(3000).as_bytes()), "temci Certain, temci-suite Possible");
}
