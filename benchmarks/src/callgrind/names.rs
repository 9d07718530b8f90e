//! Names of functions, files and objects.

use super::Size;
use crate::dice::Dice;

const NOUNS: [&str; 16] = [
    "block", "buffer", "cursor", "edge", "event", "field", "frame", "header", "index", "layer", "node",
    "page", "record", "segment", "symbol", "token",
];
const VERBS: [&str; 12] = [
    "append", "build", "decode", "emit", "find", "insert", "merge", "read", "resolve", "scan", "update",
    "write",
];
const ARGUMENTS: [&str; 6] = [
    "()",
    "(unsigned long)",
    "(char const*, unsigned long)",
    "(std::vector<unsigned int, std::allocator<unsigned int> >&)",
    "(std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&, bool) const",
    "(void*) [clone .isra.0]",
];

/// The program's parts by number: objects of several files, files of several functions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    seed: u64,
    objects: u32,
    files: u32,
}

impl Places {
    pub(super) fn new(size: Size) -> Self {
        let objects = 1 + (size.functions / 50).min(20);
        Self { seed: size.seed, objects, files: objects + size.functions / 40 }
    }

    /// The file that defines a function.
    pub(super) fn file(&self, function: u32) -> u32 {
        Dice::new(self.seed, "file", u64::from(function)).below(u64::from(self.files)) as u32
    }

    /// The object that a file is compiled into.
    pub(super) fn object(&self, file: u32) -> u32 {
        file % self.objects
    }

    /// A file whose code is inlined into another's functions: headers come after all other files.
    pub(super) fn header(&self, file: u32) -> u32 {
        self.files + file % self.objects
    }

    /// How many files there are, headers included.
    pub(super) fn all_files(&self) -> u32 {
        self.files + self.objects
    }

    /// How many objects there are.
    pub(super) fn all_objects(&self) -> u32 {
        self.objects
    }

    /// The path of an object.
    pub(super) fn object_name(&self, object: u32) -> String {
        match object {
            0 => "/usr/bin/subject".to_owned(),
            object => format!("/usr/lib/x86_64-linux-gnu/libpart{object}.so.{}", object % 7),
        }
    }

    /// The path of a file.
    pub(super) fn file_name(&self, file: u32) -> String {
        let part = self.object(file);
        match file.checked_sub(self.files) {
            Some(header) => format!("/build/subject-2.1/include/part{header}/inline.h"),
            None => {
                format!("/build/subject-2.1/src/part{part}/{}_{file}.cc", NOUNS[file as usize % NOUNS.len()])
            }
        }
    }

    /// The name of a function: no two are the same.
    pub(super) fn function_name(&self, function: u32) -> String {
        if function == 0 {
            return "main".to_owned();
        }
        let mut dice = Dice::new(self.seed, "name", u64::from(function));
        let part = self.object(self.file(function));
        let mut word = |words: &[&'static str]| words[dice.below(words.len() as u64) as usize];
        let (class, verb, noun, arguments) = (word(&NOUNS), word(&VERBS), word(&NOUNS), word(&ARGUMENTS));
        format!("part{part}::{class}_store::{verb}_{noun}_{function}{arguments}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Places, Size};

    #[test]
    fn names_are_distinct() {
        let places = Places::new(Size::LARGE);
        let functions: HashSet<_> = (0..1000).map(|it| places.function_name(it)).collect();
        let files: HashSet<_> = (0..places.all_files()).map(|it| places.file_name(it)).collect();
        let objects: HashSet<_> = (0..places.all_objects()).map(|it| places.object_name(it)).collect();
        assert_eq!(functions.len(), 1000);
        assert_eq!(files.len(), places.all_files() as usize);
        assert_eq!(objects.len(), places.all_objects() as usize);
    }

    #[test]
    fn headers_are_no_files_of_functions() {
        let places = Places::new(Size::LARGE);
        let header = places.header(17);
        assert!(header < places.all_files() && (0..1000).all(|function| places.file(function) < header));
    }
}
