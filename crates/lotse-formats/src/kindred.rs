//! Files in a format that cannot be read, from tools that can also write one that can: the error says how.

use lotse_model::bytes::Source;

use crate::shape::Shape;

/// What a source is, and how its tool writes a format that can be read; `None` for an unknown source.
pub(crate) fn readable_form(source: &dyn Source) -> Option<&'static str> {
    let bytes = source.bytes();
    let shape = Shape::from_bytes(bytes);
    if shape.has("root_frame") && shape.has("sample_count") {
        return Some(
            "pyinstrument's JSON, which is not read; `pyinstrument -r speedscope` and `-r pstats` write what is",
        );
    }
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]).trim_ascii_end();
    if first.starts_with(b"goroutine ") && first.ends_with(b"]:") {
        return Some(
            "Go's text of all goroutines (debug=2), which is not read; debug=1 and debug=0 write what is",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use lotse_model::bytes::Memory;

    use super::readable_form;

    #[test]
    fn forms_of_known_tools_are_named() {
        let form = |text: &str| readable_form(&Memory { name: "x", bytes: text.as_bytes() });
        let pyinstrument = r#"{"start_time": 1, "sample_count": 3, "root_frame": {"function": "f"}}"#;
        assert!(form(pyinstrument).is_some_and(|form| form.contains("-r speedscope")));
        let goroutines = "goroutine 1 [running]:\nmain.main()\n\t/main.go:12 +0x34f\n";
        assert!(form(goroutines).is_some_and(|form| form.contains("debug=1")));
        for other in ["", "goroutine profile: total 12\n", "{\"root_frame\": 1}", "x"] {
            assert_eq!(form(other), None, "{other}");
        }
    }
}
