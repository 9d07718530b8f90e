//! Efficiencies of traces that others recorded, against values that an independent program computed from them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use lotse_host::FolderSource;
use lotse_model::work::Sequential;
use lotse_trace::efficiency::{Efficiency, efficiency};
use lotse_trace::open;

/// Each anchor file with the values expected of it.
fn cases(root: &Path) -> Vec<(PathBuf, serde_json::Value)> {
    let mut folders = vec![root.join("recorded"), root.join("synthetic")];
    let mut cases = Vec::new();
    while let Some(folder) = folders.pop() {
        let files: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.extend(files.iter().filter(|file| file.is_dir()).cloned());
        let named = |name: &str| files.iter().find(|file| file.file_name().is_some_and(|it| it == name));
        let anchor = files.iter().find(|file| file.extension().is_some_and(|it| it == "otf2"));
        let Some((anchor, expected)) = anchor.zip(named("reference.json").or(named("expected.json"))) else {
            continue;
        };
        let expected: serde_json::Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
        if let Some(pop) = expected.get("pop") {
            cases.push((anchor.clone(), pop.clone()));
        }
    }
    cases
}

fn check(name: &Path, found: &Efficiency, expected: &serde_json::Value) {
    let found = serde_json::to_value(found).unwrap();
    for (key, want) in expected.as_object().unwrap() {
        let (have, want) = (numbers(&found[key]), numbers(want));
        let near = |(have, want): (&f64, &f64)| (have - want).abs() <= 1e-6;
        let agrees = have.len() == want.len() && have.iter().zip(&want).all(near);
        assert!(agrees, "{} {key}: {have:?} instead of {want:?}", name.display());
    }
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().filter_map(serde_json::Value::as_f64).collect(),
        None => value.as_f64().into_iter().collect(),
    }
}

#[test]
fn efficiencies_agree_with_the_reference() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/trace");
    if !root.is_dir() {
        eprintln!("skipped: ../shared/fixtures not found");
        return;
    }
    let cases = cases(&root);
    assert!(cases.len() >= 8, "only {} traces have values", cases.len());
    for (anchor, expected) in cases {
        let folder = FolderSource::open(&anchor).unwrap();
        let trace = open::read(&folder, None, &Sequential).unwrap();
        check(&anchor, &efficiency(&trace, None).unwrap(), &expected);
    }
}
