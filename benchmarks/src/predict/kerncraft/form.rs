//! A kernel as kerncraft takes it: declarations and a loop nest, without functions.

/// Declarations of variables of the source and the body of its function `kernel`. Nothing in them is changed, so what kerncraft refuses is
/// in the source. `None` if there is no such function.
pub fn bare(source: &str) -> Option<String> {
    let (before, after) = source.split_once("void kernel(void) {\n")?;
    let (body, _) = after.split_once("\n}\n")?;
    let is_other = |line: &str| line.trim_start().starts_with("//") || line.ends_with(");");
    let declarations = before.lines().filter(|line| !is_other(line));
    let text: Vec<&str> = declarations.chain(body.lines()).collect();
    Some(format!("{}\n", text.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::bare;
    use crate::predict::kernels::read;
    use lotse_predict::nest::Node;
    use lotse_predict::question::Language;

    #[test]
    fn functions_and_remarks_are_left_out() {
        let source = "// half: training\ndouble x[N];\ndouble sqrt(double);\n\nvoid kernel(void) {\n    for (int i = 0; i < N; i++)\n        \
            x[i] = 0;\n}\n\nvoid prepare(void) {\n}\n";
        let expected = "double x[N];\n\n    for (int i = 0; i < N; i++)\n        x[i] = 0;\n";
        assert_eq!(bare(source).as_deref(), Some(expected));
        assert_eq!(bare("int main(void) {\n}\n"), None);
    }

    /// All kernels of C have that form, and those that were written for kerncraft are one perfect nest.
    #[test]
    fn every_kernel_can_be_asked_about() {
        let programs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        for folder in ["predict", "predict_peers"] {
            let kernels = read(&programs.join(folder)).unwrap();
            for kernel in kernels.iter().filter(|kernel| kernel.language == Language::C) {
                let text = bare(&kernel.text).unwrap_or_else(|| panic!("{}", kernel.name));
                assert!(!text.contains("void") && text.contains("for (int"), "{}", kernel.name);
            }
        }
        for kernel in read(&programs.join("predict_peers")).unwrap() {
            let functions = Language::C.functions(&kernel.text).unwrap();
            let function = functions.iter().find(|function| function.name == "kernel").unwrap();
            assert!(is_perfect(&function.body), "{}", kernel.name);
        }
    }

    fn is_perfect(nodes: &[Node]) -> bool {
        match nodes {
            [Node::Loop(inner)] => is_perfect(&inner.body),
            [Node::Statement(_)] => true,
            _ => false,
        }
    }
}
