//! Published crates in fixed versions.

use std::fs;
use std::path::Path;

use super::{Package, words};
use crate::error::Error;
use crate::workshop::Workshop;

/// Crates that compute, with their versions.
pub(super) const CRATES: [(&str, &str); 22] = [
    ("fast_image_resize", "6.1.0"),
    ("hound", "3.5.1"),
    ("image", "0.25.10"),
    ("imageproc", "0.27.0"),
    ("jpeg-decoder", "0.3.2"),
    ("kiddo", "6.3.0"),
    ("libm", "0.2.16"),
    ("linfa-clustering", "0.8.1"),
    ("mathru", "0.16.2"),
    ("matrixmultiply", "0.3.11"),
    ("microfft", "0.6.0"),
    ("nalgebra", "0.35.0"),
    ("ndarray", "0.17.2"),
    ("ndarray-stats", "0.7.0"),
    ("peroxide", "0.43.1"),
    ("png", "0.18.1"),
    ("realfft", "3.5.1"),
    ("rubato", "5.0.1"),
    ("rustfft", "6.4.1"),
    ("smartcore", "0.7.0"),
    ("sprs", "0.11.2"),
    ("statrs", "0.19.1"),
];

/// Downloads all crates if one of them is missing.
pub fn fetch(workshop: &mut Workshop, folder: &Path, crates: &[(&str, &str)]) -> Result<Vec<Package>, Error> {
    let vendor = folder.join("vendor");
    let package = |(name, version): &(&str, &str)| Package {
        name: (*name).to_owned(),
        folder: vendor.join(format!("{name}-{version}")),
    };
    let packages: Vec<Package> = crates.iter().map(package).collect();
    if packages.iter().all(|package| package.folder.exists()) {
        return Ok(packages);
    }
    let source = folder.join("src");
    fs::create_dir_all(&source).map_err(Error::file("make", &source))?;
    for (name, text) in [("Cargo.toml", manifest(crates)), ("src/lib.rs", String::new())] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Error::file("write", &path))?;
    }
    let mut argv = words("cargo vendor --versioned-dirs --manifest-path");
    argv.extend([folder.join("Cargo.toml"), vendor.clone()].map(|path| path.display().to_string()));
    workshop.run("cargo", &argv, &[0])?;
    match packages.iter().find(|package| !package.folder.exists()) {
        Some(missing) => Err(Error::Answer { tool: "cargo vendor", what: missing.name.clone() }),
        None => Ok(packages),
    }
}

fn manifest(crates: &[(&str, &str)]) -> String {
    let head = "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n";
    let line = |(name, version): &(&str, &str)| format!("{name} = \"={version}\"\n");
    format!("{head}{}", crates.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::manifest;

    #[test]
    fn versions_are_fixed() {
        let text = manifest(&[("libm", "0.2.16"), ("png", "0.18.1")]);
        assert!(text.ends_with("[dependencies]\nlibm = \"=0.2.16\"\npng = \"=0.18.1\"\n"), "{text}");
    }
}
