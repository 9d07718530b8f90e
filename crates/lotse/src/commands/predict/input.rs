//! Reads sources, and the values and ranges of parameters on the command line.

use std::path::Path;

use lotse_host::{FileSource, preprocess};
use lotse_model::bytes::Source as _;
use lotse_predict::concrete::Values;
use lotse_predict::nest::Function;
use lotse_predict::question::{Language, has_loops};

use crate::commands::near::near;
use crate::exit::{Exit, Failure};

/// A source and its functions.
pub(super) struct SourceFile {
    pub(super) name: String,
    pub(super) language: Language,
    pub(super) functions: Vec<Function>,
}

/// Reads a source; with options for the preprocessor, first runs `cc -E` on it.
pub(super) fn read(path: &Path, cpp: Option<&str>, defines: &[(String, i64)]) -> Result<SourceFile, Failure> {
    let name = path.display().to_string();
    let language = Language::from_file_name(&name).ok_or_else(|| {
        Failure::usage(format!("{name}: predict reads C and Rust: names that end in .c, .h or .rs"))
    })?;
    let text = match cpp {
        Some(options) if language == Language::C => {
            let mut options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
            // A macro that is defined as itself stays a name in the code, so that formulas and sweeps can use it.
            options.extend(defines.iter().map(|(name, _)| format!("-D{name}={name}")));
            preprocess(path, &options).map_err(|error| Failure::new(Exit::Missing, &error))?
        }
        Some(_) => return Err(Failure::usage("--cpp is for C sources")),
        None => {
            let source = FileSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
            String::from_utf8_lossy(source.bytes()).into_owned()
        }
    };
    let functions = language
        .functions(&text)
        .map_err(|error| Failure { exit: Exit::Unreadable, message: format!("{name}: {error}") })?;
    Ok(SourceFile { name, language, functions })
}

/// `N=1000` as a name and a number.
pub(super) fn defines(texts: &[String]) -> Result<Vec<(String, i64)>, Failure> {
    let one = |text: &String| {
        let (name, value) = text.split_once('=')?;
        let value = value.trim().replace('_', "").parse().ok()?;
        Some((name.trim().to_owned(), value)).filter(|(name, _)| !name.is_empty())
    };
    let wrong = |text: &String| {
        Failure::usage(format!("-D {text}: expected a name and a whole number, such as -D N=1000"))
    };
    texts.iter().map(|text| one(text).ok_or_else(|| wrong(text))).collect()
}

/// `N=100..2000` as a name, the first and the last value.
pub(super) fn range(text: &str) -> Result<(String, i64, i64), Failure> {
    let parsed = || {
        let (name, range) = text.split_once('=')?;
        let (first, last) = range.split_once("..")?;
        let number = |text: &str| text.trim().trim_start_matches('=').replace('_', "").parse::<i64>();
        Some((name.trim().to_owned(), number(first).ok()?, number(last).ok()?))
    };
    let found = parsed().filter(|(name, first, last)| !name.is_empty() && first <= last);
    found.ok_or_else(|| {
        Failure::usage(format!("--sweep {text}: expected a name and a range, such as --sweep N=100..2000"))
    })
}

/// The values of a function's parameters.
pub(super) fn values(function: &Function, defines: &[(String, i64)]) -> Values {
    let named: Vec<(&str, i64)> = defines.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    Values::named(function, &named)
}

impl SourceFile {
    /// Refuses a value that no function has a parameter for, because it would be ignored in silence.
    pub(super) fn check(&self, defines: &[(String, i64)]) -> Result<(), Failure> {
        let knows = |function: &Function, name: &str| function.symbols.find_parameter(name).is_some();
        for (name, _) in defines {
            if !self.functions.iter().any(|function| knows(function, name)) {
                return Err(Failure::usage(format!(
                    "-D {name}: no function of {} has a parameter of this name",
                    self.name
                )));
            }
        }
        Ok(())
    }

    /// The function with a name; without a name the only function with loops.
    pub(super) fn function(&self, name: Option<&str>) -> Result<&Function, Failure> {
        if let Some(name) = name {
            let found = self.functions.iter().find(|function| function.name == name);
            return found.ok_or_else(|| self.unknown(name));
        }
        let with_loops: Vec<&Function> = self.functions.iter().filter(|it| has_loops(it)).collect();
        match with_loops.as_slice() {
            [] => Err(Failure::usage(format!("no function of {} has a loop", self.name))),
            [only] => Ok(only),
            [first, ..] => Err(Failure::usage(format!(
                "{} has {} functions with loops; choose one, such as --function {}",
                self.name,
                with_loops.len(),
                first.name
            ))),
        }
    }

    fn unknown(&self, name: &str) -> Failure {
        let near = near(self.functions.iter().map(|function| function.name.as_str()), name);
        let hint = near.first().map_or_else(String::new, |near| format!("; is it {near}?"));
        Failure::usage(format!("{} has no function {name}{hint}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::{defines, range};

    #[test]
    fn values_and_ranges() {
        assert_eq!(defines(&["N=1_000".into()]).unwrap(), [("N".to_owned(), 1000)]);
        assert_eq!(range("N=10..=20").unwrap(), ("N".to_owned(), 10, 20));
        for wrong in ["N", "=3", "N=x", "N=1.5", "N=99999999999999999999"] {
            assert!(defines(&[wrong.into()]).is_err(), "{wrong}");
        }
        for wrong in ["N=5", "N=9..3", "1..2", "N=a..b", "=1..2"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
