//! The book as a whole: its pages, the files it shows, and that its table of contents names all of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::repository;

/// README and all pages of the book, by path in the repository.
pub(crate) fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = vec![PathBuf::from("README.md"), PathBuf::from("CONTRIBUTING.md")];
    paths.extend(below(Path::new("docs/src")));
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(repository(&path.display().to_string()))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository(&folder.display().to_string())).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if repository(&path.display().to_string()).is_dir() {
            found.extend(below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Files that pages print in full and then use: a fenced block after a line that ends in `` `NAME`: ``.
pub(crate) fn files_shown() -> Vec<(String, String)> {
    pages().iter().flat_map(|(_, text)| shown(text)).collect()
}

fn shown(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines().filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let name = line.strip_suffix("`:").and_then(|line| line.rsplit_once('`')).map(|(_, name)| name);
        let fenced = lines.peek().is_some_and(|next| next.starts_with("```") && *next != "```console");
        if let (Some(name), true) = (name, fenced) {
            let content: String = lines
                .by_ref()
                .skip(1)
                .take_while(|line| *line != "```")
                .map(|line| format!("{line}\n"))
                .collect();
            found.push((name.to_owned(), content));
        }
    }
    found
}

#[test]
fn files_are_taken_from_the_block_below_their_name() {
    let text =
        "A suite, `a.yaml`:\n\n```yaml\n- x: 1\n```\nNot `b`: this\nUse `c`:\n```console\n$ lotse\n```\n";
    assert_eq!(shown(text), [("a.yaml".to_owned(), "- x: 1\n".to_owned())]);
}

#[test]
fn the_table_of_contents_names_every_page() {
    let summary = read(Path::new("docs/src/SUMMARY.md"));
    let targets = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let listed: BTreeSet<PathBuf> = targets.map(|(target, _)| Path::new("docs/src").join(target)).collect();
    let mut present: BTreeSet<PathBuf> = below(Path::new("docs/src")).into_iter().collect();
    present.remove(Path::new("docs/src/SUMMARY.md"));
    assert_eq!(listed, present);
}
