//! A kernel as kerncraft takes it: declarations and a loop nest, without functions.

/// Declarations of the source and the body of its function `kernel`. Nothing in them is changed, so what kerncraft refuses is in the
/// source. `None` if there is no such function.
pub fn bare(source: &str) -> Option<String> {
    let (before, after) = source.split_once("void kernel(void) {\n")?;
    let (body, _) = after.split_once("\n}\n")?;
    let declarations = before.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text: Vec<&str> = declarations.chain(body.lines()).collect();
    Some(format!("{}\n", text.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn functions_and_remarks_are_left_out() {
        let source = "// half: training\ndouble x[N];\n\nvoid kernel(void) {\n    for (int i = 0; i < N; i++)\n        \
            x[i] = 0;\n}\n\nvoid prepare(void) {\n}\n";
        let expected = "double x[N];\n\n    for (int i = 0; i < N; i++)\n        x[i] = 0;\n";
        assert_eq!(bare(source).as_deref(), Some(expected));
        assert_eq!(bare("int main(void) {\n}\n"), None);
    }
}
