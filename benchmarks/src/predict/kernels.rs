//! The kernels of `programs/predict`. Their first lines say to which half they belong and which sizes are measured:
//!
//! ```text
//! // half: training
//! // sizes: 50 120 300
//! // values: n = N; a.len() = N*N          only Rust: what the parameters are at size N
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use lotse_predict::question::Language;

use crate::error::Error;

/// Which half a kernel belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Models may be fitted to it.
    Training,
    /// Errors are counted on it.
    Judging,
}

/// One kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The name of its file without the ending.
    pub name: String,
    /// Its source.
    pub text: String,
    /// C or Rust.
    pub language: Language,
    /// Its half.
    pub half: Half,
    /// Values of N.
    pub sizes: Vec<i64>,
    /// Names of parameters and the power of N that each has.
    values: Vec<(String, u32)>,
}

/// All kernels of a folder, by name.
pub fn read(folder: &Path) -> Result<Vec<Kernel>, Error> {
    let listed = fs::read_dir(folder).map_err(Error::file("read", folder))?;
    let mut paths: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let kernels = paths.iter().filter(|path| path.file_stem().is_some_and(|stem| stem != "harness"));
    kernels.map(|path| kernel(path)).collect()
}

fn kernel(path: &Path) -> Result<Kernel, Error> {
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let missing =
        |what: &str| Error::Answer { tool: "a kernel", what: format!("{what} in {}", path.display()) };
    let field = |key: &str| field(&text, key).ok_or_else(|| missing(key));
    let language =
        Language::from_file_name(&path.display().to_string()).ok_or_else(|| missing("language"))?;
    let half = match field("half")? {
        "training" => Half::Training,
        "judging" => Half::Judging,
        _ => return Err(missing("half")),
    };
    let sizes = field("sizes")?.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let values = match language {
        Language::C => vec![("N".to_owned(), 1)],
        Language::Rust => field("values")?.split(';').filter_map(value).collect(),
    };
    Ok(Kernel { name, half, sizes, values, language, text })
}

fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines()
        .find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
        .map(str::trim)
}

/// `a.len() = N*N` as a name and a power.
fn value(text: &str) -> Option<(String, u32)> {
    let (name, power) = text.split_once('=')?;
    Some((name.trim().to_owned(), u32::try_from(power.matches('N').count()).ok()?))
}

impl Kernel {
    /// The values of all parameters at a size.
    pub fn values(&self, size: i64) -> Vec<(&str, i64)> {
        self.values.iter().map(|(name, power)| (name.as_str(), size.pow(*power))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Half, field, read, value};

    #[test]
    fn fields_and_values() {
        let text = "// what\n// half: judging\n// sizes: 1 2\nint x;";
        assert_eq!((field(text, "half"), field(text, "values")), (Some("judging"), None));
        assert_eq!(value(" a.len() = N*N"), Some(("a.len()".to_owned(), 2)));
    }

    /// At least 30 kernels and 200 points, in halves of about the same size, both languages in both.
    #[test]
    fn the_halves_are_as_promised() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/predict");
        let kernels = read(&folder).unwrap();
        let training = kernels.iter().filter(|kernel| kernel.half == Half::Training).count();
        assert!(kernels.len() >= 30 && training * 2 == kernels.len(), "{} {training}", kernels.len());
        assert!(kernels.iter().map(|kernel| kernel.sizes.len()).sum::<usize>() >= 200);
        for half in [Half::Training, Half::Judging] {
            let of_half = || kernels.iter().filter(|kernel| kernel.half == half);
            let rust = of_half().filter(|kernel| kernel.name.ends_with("_rs")).count();
            assert!(rust >= 4 && of_half().count() - rust >= 10);
        }
        for kernel in &kernels {
            let functions = kernel.language.functions(&kernel.text).unwrap();
            assert!(functions.iter().any(|function| function.name == "kernel"), "{}", kernel.name);
        }
    }
}
