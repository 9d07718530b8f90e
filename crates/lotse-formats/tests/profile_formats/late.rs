//! Documents whose distinguishing keys come late: after a long list, or after very many other keys.

use crate::recognised::claimed;
use crate::small::{SmallFile, all, read};

/// A list longer than what recognition examines first.
fn long_list() -> String {
    let marker = r#"{"name": "Composite \"x\"", "start": 12.5, "stack": [{"column": 3, "line": [1, {}]}]}"#;
    format!("[{}]", vec![marker; 2000].join(", "))
}

/// The small files that are JSON objects.
fn documents() -> Vec<(&'static str, &'static str, String)> {
    let object = |SmallFile { format, name, bytes }: SmallFile| {
        let text = String::from_utf8(bytes).ok()?.trim().to_owned();
        text.starts_with('{').then_some((format, name, text))
    };
    all().into_iter().filter_map(object).collect()
}

fn check(format: &str, text: &str, padded: &str) {
    assert_eq!(claimed("-", padded.as_bytes()), [format], "{}", &padded[..200.min(padded.len())]);
    let (plain, late) = (read("-", text.as_bytes()), read("-", padded.as_bytes()));
    assert_eq!(late.diagnostics, plain.diagnostics, "{format}");
    assert_eq!(late.value.parts, plain.value.parts, "{format}");
}

#[test]
fn a_long_list_in_front_does_not_hide_a_format() {
    let formats: Vec<&str> = documents().iter().map(|(format, ..)| *format).collect();
    for format in ["firefox", "gecko", "speedscope", "cpuprofile", "dhat"] {
        assert!(formats.contains(&format), "{formats:?}");
    }
    for (format, _, text) in documents() {
        let padded = format!("{{\"padding\": {},{}", long_list(), &text[1..]);
        assert!(padded.len() > 2 * 64 * 1024);
        check(format, &text, &padded);
    }
}

#[test]
fn many_keys_in_front_do_not_hide_a_format() {
    let keys: Vec<String> = (0..600).map(|key| format!("\"k{key}\": {key}")).collect();
    for (format, _, text) in documents() {
        check(format, &text, &format!("{{\"padding\": {{{}}},{}", keys.join(","), &text[1..]));
    }
}

/// The form that the developer tools of Firefox 50 to 80 wrote: markers first, then the profile.
#[test]
fn the_container_of_firefox_is_recognised_after_many_markers() {
    let (format, _, text) = documents().into_iter().find(|(format, ..)| *format == "gecko").unwrap();
    let head = r#""fileType": "Recorded Performance Data", "version": 2, "label": null"#;
    let padded = format!("{{{head}, \"duration\": 31.7, \"markers\": {}, \"profile\": {text}}}", long_list());
    check(format, &text, &padded);
}
