//! The index of a history: it gives the same answers as the history itself, and is used only while nothing has changed.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::{Package, has_cargo};

/// 400,000 reads at random positions need more than the megabyte from which on an index is kept.
const SCATTERED: &str = r#"
use std::hint::black_box;
fn main() {
    let numbers: Vec<u64> = (0..5000).map(black_box).collect();
    let (mut state, mut sum) = (1_u64, 0);
    for _ in 0..400_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        sum += numbers[black_box((state >> 33) as usize % 5000)];
    }
    println!("{sum}");
}
"#;

const LONG_AGO: Duration = Duration::from_secs(86_400);

impl Package {
    /// The only file in the cache.
    #[track_caller]
    fn index(&self) -> PathBuf {
        let entries = fs::read_dir(self.path().join("cache/lotse")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let found: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "lotse-index")).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }

    /// Whether a command reads the index, which updates the time of its last use.
    fn uses_index(&self, words: &[&str]) -> bool {
        let index = File::options().append(true).open(self.index()).unwrap();
        let before = SystemTime::now() - LONG_AGO;
        index.set_modified(before).unwrap();
        self.answer(words);
        fs::metadata(self.index()).unwrap().modified().unwrap() > before + LONG_AGO / 2
    }
}

#[test]
fn an_index_gives_the_same_answers_until_something_changes() {
    if !has_cargo() {
        return;
    }
    let package = super::example::recorded(SCATTERED);
    let history = "a.lotse-history";
    package.index();
    for words in [&["analyze", history, "--json"][..], &["phases", history, "--json"]] {
        assert!(package.uses_index(words), "{words:?}");
        let without_index = [words, &["--no-index"]].concat();
        assert!(!package.uses_index(&without_index));
        assert_eq!(package.json(words), package.json(&without_index), "{words:?}");
    }
    same_pictures(&package, history);
    // Other thresholds give another analysis, which replaces the one in the index.
    let changed = ["analyze", history, "--json", "--threshold", "spy-history.min-accesses=1e9"];
    let without_index = package.json(&[&changed[..], &["--no-index"]].concat());
    assert_eq!(package.json(&changed), without_index);
    assert_ne!(package.json(&["analyze", history, "--json"]), without_index);
    // A damaged index is made again.
    let mut bytes = fs::read(package.index()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(package.index(), &bytes).unwrap();
    let words = ["sites", history, "--json"];
    assert_eq!(package.json(&words), package.json(&[&words[..], &["--no-index"]].concat()));
    assert_ne!(fs::read(package.index()).unwrap(), bytes);
    // The index does not fit a truncated history.
    let content = fs::read(package.path().join(history)).unwrap();
    fs::write(package.path().join(history), &content[..content.len() * 3 / 4]).unwrap();
    let words = ["coverage", history, "--json"];
    assert_eq!(package.json(&words), package.json(&[&words[..], &["--no-index"]].concat()));
}

fn same_pictures(package: &Package, history: &str) {
    for options in [&[][..], &["--time"]] {
        let draw = |name: &str, more: &[&str]| {
            let words = ["history", history, "main.rs:4", "--svg", name];
            package.answer(&[&words, options, more].concat());
            fs::read_to_string(package.path().join(name)).unwrap()
        };
        let picture = draw("a.svg", &[]);
        assert!(picture.contains("405,000"), "{picture}");
        assert_eq!(picture, draw("b.svg", &["--no-index"]));
    }
}
