//! No file contains paths of a developer's machine or hosts of package registries.

use super::Check;
use crate::{Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "private words", promise: "no paths of a machine and no registry hosts", complaints };

/// Each word is split in two, so that this file passes the check.
const WORDS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tmp/tar", "get-"),
    concat!("index.cra", "tes.io"),
    concat!("static.cra", "tes.io"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("registry.np", "mjs.org"),
    concat!("deb.deb", "ian.org"),
    concat!("security.deb", "ian.org"),
    concat!("archive.ubu", "ntu.com"),
    concat!("proxy.gol", "ang.org"),
];

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let complaints_in_file = |(path, text): (&str, &str)| -> Vec<Complaint> {
        let lines = text.lines().zip(1..);
        lines.filter_map(|(line, number)| Some(Complaint::at(path, number, message(line)?))).collect()
    };
    repository.texts().flat_map(complaints_in_file).collect()
}

fn message(line: &str) -> Option<String> {
    let word = WORDS.iter().find(|word| stands_alone(line, word))?;
    Some(format!("`{word}` belongs to a machine, not to the repository"))
}

/// Whether the word occurs, other than as the end of a longer path or name (`src/work/` is no path of a machine).
fn stands_alone(line: &str, word: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | '>' | '$');
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(continues))
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::{WORDS, complaints};
    use crate::Repository;

    #[test]
    fn each_word_is_found() {
        for word in WORDS {
            let line = format!("see {word}x");
            let found = complaints(&Repository::from_files(&[("docs/a.md", &format!("fine\n{line}\n"))]));
            assert_complaints(
                &found,
                &[&format!("docs/a.md:2: `{word}` belongs to a machine, not to the repository")],
            );
        }
    }

    #[test]
    fn parts_of_other_paths_are_fine() {
        let text = format!("src{0} ..{0} $HOME{0}", WORDS[0]);
        assert_complaints(&complaints(&Repository::from_files(&[("docs/a.md", &text)])), &[]);
    }
}
