//! Findings in SARIF 2.1.0, for code hosts and editors.

use std::io::{self, Write};

use lotse_model::finding::Level;
use lotse_model::site::SourceSite;
use lotse_model::{Finding, Rule, Site};
use serde_json::{Map, Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the findings as one SARIF run. `rules` may contain rules without findings.
pub fn write(findings: &[Finding], rules: &[&Rule], version: &str, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &log(findings, rules, version))?;
    writeln!(out)
}

fn log(findings: &[Finding], rules: &[&Rule], version: &str) -> Value {
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, rules)).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| descriptor(rule)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Lotse", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.meaning },
        "help": { "text": rule.advice, "markdown": help(rule) },
        "defaultConfiguration": { "level": "warning" },
        "properties": { "version": rule.version },
    })
}

fn help(rule: &Rule) -> String {
    let mut parts = vec![rule.advice.to_owned(), format!("**How it is computed:** {}", rule.computation)];
    if !rule.references.is_empty() {
        parts.push(rule.references.iter().map(|reference| format!("- {reference}\n")).collect());
    }
    parts.join("\n\n").trim_end().to_owned()
}

fn result(finding: &Finding, rules: &[&Rule]) -> Value {
    let mut result = Map::new();
    result.insert("ruleId".into(), json!(finding.rule.id));
    if let Some(index) = rules.iter().position(|rule| rule.id == finding.rule.id) {
        result.insert("ruleIndex".into(), json!(index));
    }
    result.insert("level".into(), json!(level(finding.level)));
    result.insert("message".into(), json!({ "text": message(finding) }));
    result.insert("locations".into(), finding.sites.iter().take(1).map(location).collect());
    if finding.sites.len() > 1 {
        result.insert("relatedLocations".into(), finding.sites.iter().skip(1).map(location).collect());
    }
    if let Some(weight) = finding.weight() {
        result.insert("rank".into(), json!(weight * 100.0));
    }
    result.insert("properties".into(), properties(finding));
    Value::Object(result)
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// The message text. Brackets would start an embedded link, so they are escaped as the standard requires (3.11.6).
fn message(finding: &Finding) -> String {
    let text = match finding.recommendation.as_str() {
        "" => finding.reason.text.clone(),
        advice => format!("{}. {advice}", finding.reason.text.trim_end_matches('.')),
    };
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn properties(finding: &Finding) -> Value {
    let mut properties = Map::new();
    if let Some(severity) = &finding.severity {
        properties.insert("severity".into(), json!({ "share": severity.share, "of": severity.of }));
    }
    properties.insert("certainty".into(), json!(finding.certainty));
    properties.insert("data".into(), json!(finding.reason.data));
    properties.insert("recommendation".into(), json!(finding.recommendation));
    if let Some(verification) = &finding.verification {
        properties.insert("verification".into(), json!(verification));
    }
    Value::Object(properties)
}

fn location(site: &Site) -> Value {
    match site {
        Site::Source(source) => source_location(source),
        Site::Region { path, .. } => json!({ "logicalLocations": [{
            "name": path.last().map_or("", String::as_str),
            "fullyQualifiedName": site.to_string(),
            "kind": "function",
        }] }),
        Site::Program { .. } | Site::Pair { .. } | Site::Machine => {
            json!({ "logicalLocations": [{ "name": site.to_string(), "fullyQualifiedName": site.to_string() }] })
        }
    }
}

/// A physical location, with the function as its logical location. SARIF counts lines and columns from 1, so zeros are left
/// out.
fn source_location(source: &SourceSite) -> Value {
    let mut physical = Map::new();
    physical.insert("artifactLocation".into(), json!({ "uri": uri(&source.file) }));
    if let Some(line) = source.line.filter(|&line| line > 0) {
        let mut region = Map::new();
        region.insert("startLine".into(), json!(line));
        if let Some(column) = source.column.filter(|&column| column > 0) {
            region.insert("startColumn".into(), json!(column));
        }
        physical.insert("region".into(), Value::Object(region));
    }
    let mut location = Map::new();
    location.insert("physicalLocation".into(), Value::Object(physical));
    if let Some(function) = &source.function {
        let logical = json!([{ "name": function, "fullyQualifiedName": function, "kind": "function" }]);
        location.insert("logicalLocations".into(), logical);
    }
    Value::Object(location)
}

/// A path as a URI reference: relative stays relative, absolute gets the `file` scheme.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':');
    let scheme = if drive {
        "file:///"
    } else if path.starts_with('/') {
        "file://"
    } else {
        ""
    };
    // In a relative path, a colon in the first segment would be parsed as the end of a scheme.
    let keep_colon = drive;
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' => {
            char::from(byte).to_string()
        }
        b':' if keep_colon => ":".to_owned(),
        _ => format!("%{byte:02X}"),
    };
    scheme.to_owned() + &path.bytes().map(encode).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::{log, message, uri, write};
    use crate::sample;
    use expect_test::expect_file;
    use serde_json::Value;

    fn sample_log() -> Value {
        log(&[sample::drift(), sample::in_source()], &[&sample::RULE], "0.1.0")
    }

    #[test]
    fn the_log_is_as_expected() {
        let mut out = Vec::new();
        write(&[sample::drift(), sample::in_source()], &[&sample::RULE], "0.1.0", &mut out).unwrap();
        expect_file!["../tests/golden/findings.sarif"].assert_eq(&String::from_utf8(out).unwrap());
    }

    #[test]
    fn what_the_schema_requires_is_there() {
        let log = sample_log();
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert!(run["tool"]["driver"]["name"].is_string());
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            assert!(result["message"]["text"].is_string());
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
            assert_eq!(result.get("rank").is_some(), result["properties"].get("severity").is_some());
            assert!(result["rank"].as_f64().is_none_or(|rank| (0.0..=100.0).contains(&rank)));
            if let Some(index) = result["ruleIndex"].as_u64() {
                assert_eq!(rules[index as usize]["id"], result["ruleId"]);
            }
        }
        let region = &run["results"][1]["locations"][0]["physicalLocation"]["region"];
        assert_eq!((region["startLine"].as_u64(), region["startColumn"].as_u64()), (Some(2), Some(2)));
    }

    /// Rules in any order, rules without findings, and findings of unknown rules.
    #[test]
    fn an_index_leads_to_the_rule_of_that_name() {
        let rule = |id: &'static str| lotse_model::Rule { id, ..sample::RULE };
        let (a, b, c) = (rule("a"), rule("b"), rule("c"));
        let finding = |id: &str| {
            let mut finding = sample::drift();
            finding.rule.id = id.to_owned();
            finding
        };
        let findings = ["c", "missing", "a", "c", "b"].map(finding);
        for rules in [vec![&a, &b, &c], vec![&c, &a, &b], vec![&b, &c], vec![&a, &a], vec![]] {
            let log = log(&findings, &rules, "0.1.0");
            let run = &log["runs"][0];
            let listed = run["tool"]["driver"]["rules"].as_array().unwrap();
            assert_eq!(listed.len(), rules.len());
            for result in run["results"].as_array().unwrap() {
                let known = listed.iter().any(|rule| rule["id"] == result["ruleId"]);
                let index = result["ruleIndex"].as_u64().map(|index| &listed[index as usize]["id"]);
                assert_eq!(index, known.then_some(&result["ruleId"]), "{result}");
            }
        }
    }

    #[test]
    fn places_that_are_not_known_are_left_out() {
        let mut finding = sample::in_source();
        for (line, column, region) in [
            (None, Some(3), Value::Null),
            (Some(0), Some(3), Value::Null),
            (Some(4), None, serde_json::json!({ "startLine": 4 })),
            (Some(4), Some(0), serde_json::json!({ "startLine": 4 })),
        ] {
            let lotse_model::Site::Source(site) = &mut finding.sites[0] else { unreachable!() };
            (site.line, site.column) = (line, column);
            let log = log(std::slice::from_ref(&finding), &[], "0.1.0");
            let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
            assert_eq!(location["region"], region, "{line:?} {column:?}");
        }
        finding.sites.clear();
        let log = log(&[finding], &[], "0.1.0");
        assert_eq!(log["runs"][0]["results"][0]["locations"], serde_json::json!([]));
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/a b#c.rs"), "src/a%20b%23c.rs");
        assert_eq!(uri("/usr/x.c"), "file:///usr/x.c");
        assert_eq!(uri("C:\\x\\y.c"), "file:///C:/x/y.c");
        assert_eq!(uri("größe:1"), "gr%C3%B6%C3%9Fe%3A1");
    }

    #[test]
    fn brackets_do_not_open_links() {
        let mut finding = sample::drift();
        finding.reason.text = "a[0] is slow.".into();
        assert_eq!(message(&finding), "a\\[0\\] is slow. let the machine cool down");
    }
}
