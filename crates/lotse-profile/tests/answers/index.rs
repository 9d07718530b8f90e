//! The index of a large file: what is read from it, and when it is not used.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lotse_host::{Cache, FileSource, IndexPlace};
use lotse_model::bytes::Source as _;
use lotse_model::{NoProgress, Profile};
use lotse_profile::analysis::{Analysis, CycleMode, Summary};
use lotse_profile::open::{Opened, Request, open};
use tempfile::TempDir;

use crate::input::CALLGRIND;

/// A file just large enough to have an index; most of it is a comment.
struct LargeFile {
    _directory: TempDir,
    path: PathBuf,
}

impl LargeFile {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("callgrind.out.7");
        let (first, rest) = CALLGRIND.split_once('\n').unwrap();
        let remark = format!("# {}\n", "x".repeat((1 << 20) - 3));
        std::fs::write(&path, format!("{first}\n{}{rest}", remark.repeat(17))).unwrap();
        Self { _directory: directory, path }
    }

    fn index(&self) -> PathBuf {
        place(&FileSource::open(&self.path).unwrap()).unwrap().path().to_owned()
    }

    /// Writes the index; returns the profile and summary it was made of.
    fn write_index(&self) -> (Profile, Summary) {
        opened(&self.path, |opened| {
            assert!(opened.summary.is_none());
            let summary = Analysis::of_default_parts(&opened.profile, CycleMode::Folded).summary();
            opened.keep_index(&summary).unwrap();
            (opened.profile.clone(), summary)
        })
    }

    fn has_index(&self) -> bool {
        opened(&self.path, |opened| opened.summary.is_some())
    }

    fn modified(&self) -> SystemTime {
        std::fs::metadata(&self.path).unwrap().modified().unwrap()
    }
}

/// The place of the index, in a cache beside the profile.
fn place(source: &FileSource) -> Option<IndexPlace> {
    let directory = Path::new(source.name()).parent().unwrap().join("cache");
    lotse_profile::index::place(source, &Cache::at(directory, 1 << 30))
}

fn opened<T>(path: &Path, check: impl FnOnce(&mut Opened<'_>) -> T) -> T {
    let source = FileSource::open(path).unwrap();
    let request = Request { format: None, index: place(&source) };
    assert!(request.index.is_some());
    check(&mut open(&source, &request, &mut NoProgress).unwrap())
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn an_index_gives_the_same_profile() {
    let big = LargeFile::new();
    assert!(!big.has_index());
    let (profile, summary) = big.write_index();
    opened(&big.path, |opened| {
        assert!(opened.summary.is_some());
        assert_eq!(opened.format, "callgrind");
        opened.complete().unwrap();
        assert!(opened.profile == profile, "the profile of the index differs");
        assert_eq!(opened.summary.as_ref(), Some(&summary));
        let main = crate::input::function(&opened.profile, "main");
        assert_eq!(opened.detail(main).unwrap().lines.costs.total(0), 1000);
        // The second time, nothing is left to read.
        opened.complete().unwrap();
        let analysis = Analysis::of_default_parts(&opened.profile, CycleMode::Folded);
        assert_eq!(analysis.summary(), summary);
    });
}

#[test]
fn another_format_than_that_of_the_index_is_read_from_the_file() {
    let big = LargeFile::new();
    big.write_index();
    let source = FileSource::open(&big.path).unwrap();
    for (format, known) in [("callgrind", true), ("collapsed", false)] {
        let request = Request { format: Some(format), index: place(&source) };
        let answer = open(&source, &request, &mut NoProgress);
        assert_eq!(answer.is_ok_and(|opened| opened.summary.is_some()), known, "{format}");
    }
}

#[test]
fn a_file_of_another_size_or_time_has_no_index() {
    let big = LargeFile::new();
    big.write_index();
    let before = big.modified();
    let file = File::options().append(true).open(&big.path).unwrap();
    file.set_modified(before + Duration::from_secs(1)).unwrap();
    assert!(!big.has_index());
    file.set_modified(before).unwrap();
    assert!(big.has_index());
    (&file).write_all(b"\n").unwrap();
    file.set_modified(before).unwrap();
    assert!(!big.has_index());
}

#[test]
fn a_file_of_other_content_has_no_index() {
    let big = LargeFile::new();
    big.write_index();
    let (before, length) = (big.modified(), std::fs::metadata(&big.path).unwrap().len());
    for at in [40, length / 2 + 100, length - 2] {
        let old = std::fs::read(&big.path).unwrap()[at as usize];
        for (byte, known) in [(b'~', false), (old, true)] {
            overwrite(&big.path, at, &[byte]);
            File::options().append(true).open(&big.path).unwrap().set_modified(before).unwrap();
            assert_eq!(big.has_index(), known, "{at}");
        }
    }
}

#[test]
fn an_index_of_another_version_or_file_is_not_read() {
    let big = LargeFile::new();
    big.write_index();
    let whole = std::fs::read(big.index()).unwrap();
    for at in [0, 8, 16, 24, 32] {
        overwrite(&big.index(), at, &[!whole[at as usize]]);
        assert!(!big.has_index(), "{at}");
        overwrite(&big.index(), at, &[whole[at as usize]]);
        assert!(big.has_index());
    }
}

#[test]
fn an_index_states_its_original() {
    let big = LargeFile::new();
    big.write_index();
    let original = lotse_profile::index::original(&big.index()).unwrap();
    assert_eq!(Path::new(&original), big.path.canonicalize().unwrap());
    assert_eq!(lotse_profile::index::original(&big.path), None);
}

#[test]
fn a_copy_elsewhere_has_an_index_of_its_own() {
    let big = LargeFile::new();
    big.write_index();
    let copy = big.path.with_file_name("copy");
    std::fs::copy(&big.path, &copy).unwrap();
    File::options().append(true).open(&copy).unwrap().set_modified(big.modified()).unwrap();
    // The index of another file is not used, even at the place of the copy's index.
    let source = FileSource::open(&copy).unwrap();
    std::fs::copy(big.index(), place(&source).unwrap().path()).unwrap();
    opened(&copy, |opened| assert!(opened.summary.is_none()));
}

#[test]
fn a_file_that_changed_gets_a_new_index() {
    let big = LargeFile::new();
    big.write_index();
    let text = std::fs::read_to_string(&big.path).unwrap();
    std::fs::write(&big.path, text.replace("50 1000 0\n", "50 7000 0\n")).unwrap();
    let now = big.modified() + Duration::from_secs(2);
    File::options().append(true).open(&big.path).unwrap().set_modified(now).unwrap();
    let (_, summary) = big.write_index();
    assert_eq!(summary.totals[0], 15_000 + 1000);
    opened(&big.path, |opened| {
        opened.complete().unwrap();
        assert_eq!(opened.summary.as_ref(), Some(&summary));
    });
}

/// A truncated index is refused at once or when its rest is read; then the file itself is read.
#[test]
fn a_truncated_index_is_refused() {
    let big = LargeFile::new();
    let (profile, _) = big.write_index();
    let whole = std::fs::read(big.index()).unwrap();
    let step = (whole.len() / 12).max(1);
    for length in (0..whole.len()).step_by(step).chain([whole.len() - 1]) {
        std::fs::write(big.index(), &whole[..length]).unwrap();
        opened(&big.path, |opened| match opened.complete() {
            Ok(()) => assert!(opened.summary.is_none() && opened.profile == profile, "{length}"),
            Err(error) => assert!(error.to_string().starts_with("the index is damaged"), "{error}"),
        });
    }
}

#[test]
fn a_damaged_index_gives_a_sound_profile_or_an_error() {
    let big = LargeFile::new();
    big.write_index();
    let whole = std::fs::read(big.index()).unwrap();
    for at in (40..whole.len()).step_by((whole.len() / 40).max(1)) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x81;
        std::fs::write(big.index(), &damaged).unwrap();
        opened(&big.path, |opened| {
            if opened.complete().is_ok() {
                opened.profile.check().unwrap();
            }
        });
    }
}

#[test]
fn a_small_file_has_no_index() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small");
    std::fs::write(&path, CALLGRIND).unwrap();
    let source = FileSource::open(&path).unwrap();
    assert!(place(&source).is_none());
    let mut opened = open(&source, &Request::default(), &mut NoProgress).unwrap();
    let summary = Analysis::of_default_parts(&opened.profile, CycleMode::Folded).summary();
    opened.keep_index(&summary).unwrap();
    opened.complete().unwrap();
    assert!(opened.is_lossless());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}
