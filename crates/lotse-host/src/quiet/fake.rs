//! A fake kernel for tests: files in memory that behave like the kernel's as far as the actions need it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::kernel::Kernel;

/// Files by path. A text with `[brackets]` is a choice: writing one of its words moves the brackets.
#[derive(Default)]
pub(super) struct FakeKernel {
    files: RefCell<BTreeMap<String, String>>,
    /// Files that accept a write but keep their value.
    stubborn: RefCell<BTreeSet<String>>,
    /// Files that are not writable.
    forbidden: RefCell<BTreeSet<String>>,
    directories: RefCell<BTreeSet<String>>,
    /// Names and texts of the files of a new control group.
    group_files: RefCell<Vec<(String, String)>>,
    /// Called before every write.
    watcher: RefCell<Option<Watcher>>,
    /// Every write, in order.
    pub(super) written: RefCell<Vec<String>>,
}

/// Called with the path of a file before it is written.
type Watcher = Box<dyn Fn(&str)>;

impl FakeKernel {
    /// Sets a function that is called before every write.
    pub(super) fn watched_by(&self, watcher: impl Fn(&str) + 'static) {
        *self.watcher.borrow_mut() = Some(Box::new(watcher));
    }

    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let kernel = Self::default();
        for (file, text) in files {
            kernel.put(file, text);
        }
        kernel
    }

    pub(super) fn put(&self, file: &str, text: &str) {
        self.files.borrow_mut().insert(file.to_owned(), text.to_owned());
    }

    /// Makes a file ignore writes.
    pub(super) fn ignores(&self, file: &str) -> &Self {
        self.stubborn.borrow_mut().insert(file.to_owned());
        self
    }

    /// Makes a file unwritable.
    pub(super) fn forbids(&self, file: &str) -> &Self {
        self.forbidden.borrow_mut().insert(file.to_owned());
        self
    }

    /// Sets the files of new control groups.
    pub(super) fn groups_have(&self, files: &[(&str, &str)]) -> &Self {
        *self.group_files.borrow_mut() =
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        self
    }

    /// Adds a process: its `stat` and `status` files. Its start time is 1000 + `pid`.
    #[expect(clippy::too_many_arguments, reason = "the fields of /proc/PID/stat, in their order")]
    pub(super) fn process(
        &self,
        pid: i32,
        name: &str,
        parent: i32,
        group: i32,
        terminal: i32,
        flags: u64,
        uid: u32,
    ) {
        let stat = format!(
            "{pid} ({name}) S {parent} {group} {group} {terminal} -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 {} 0 0",
            1000 + pid
        );
        self.put(&format!("/proc/{pid}/stat"), &stat);
        self.put(
            &format!("/proc/{pid}/status"),
            &format!("Name:\t{name}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n"),
        );
    }

    /// The current text of a file.
    pub(super) fn text(&self, file: &str) -> String {
        self.files.borrow().get(file).cloned().unwrap_or_else(|| panic!("no {file}"))
    }

    /// All files, to be compared with a later snapshot.
    pub(super) fn snapshot(&self) -> BTreeMap<String, String> {
        self.files.borrow().clone()
    }
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// The text of a file after a write.
fn after(old: &str, new: &str) -> io::Result<String> {
    if let Some((group, _)) = old.split_once(" nice ") {
        return Ok(format!("{group} nice {new}"));
    }
    // The controllers of a control group: `+word` adds one, `-word` removes it.
    if let Some((sign, word)) =
        new.split_at_checked(1).filter(|(_, word)| word.starts_with(char::is_alphabetic))
    {
        let others = old.split_whitespace().filter(|known| *known != word);
        match sign {
            "+" => return Ok(others.chain([word]).collect::<Vec<_>>().join(" ")),
            "-" => return Ok(others.collect::<Vec<_>>().join(" ")),
            _ => {}
        }
    }
    if !old.contains('[') {
        return Ok(new.to_owned());
    }
    let words: Vec<&str> = old.split_whitespace().map(|word| word.trim_matches(['[', ']'])).collect();
    if !words.contains(&new) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mark = |word: &&str| if *word == new { format!("[{word}]") } else { (*word).to_owned() };
    Ok(words.iter().map(mark).collect::<Vec<_>>().join(" "))
}

/// Shared between a test and what it tests.
impl Kernel for std::rc::Rc<FakeKernel> {
    fn read(&self, file: &str) -> io::Result<String> {
        (**self).read(file)
    }
    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        (**self).write(file, text)
    }
    fn names(&self, directory: &str) -> io::Result<Vec<String>> {
        (**self).names(directory)
    }
    fn make_directory(&self, directory: &str) -> io::Result<()> {
        (**self).make_directory(directory)
    }
    fn remove_directory(&self, directory: &str) -> io::Result<()> {
        (**self).remove_directory(directory)
    }
    fn is_writable(&self, file: &str) -> bool {
        (**self).is_writable(file)
    }
    fn swap(&self, device: &str, priority: Option<i32>) -> io::Result<()> {
        (**self).swap(device, priority)
    }
}

impl Kernel for FakeKernel {
    fn read(&self, file: &str) -> io::Result<String> {
        self.files.borrow().get(file).cloned().ok_or_else(missing)
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        if let Some(watcher) = &*self.watcher.borrow() {
            watcher(file);
        }
        self.written.borrow_mut().push(format!("{file} {text}"));
        if self.forbidden.borrow().contains(file) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let old = self.read(file)?;
        if !self.stubborn.borrow().contains(file) {
            let new = after(&old, text)?;
            self.put(file, &new);
        }
        Ok(())
    }

    fn names(&self, directory: &str) -> io::Result<Vec<String>> {
        let files = self.files.borrow();
        let below = |file: &String| {
            let rest = file.strip_prefix(directory)?.strip_prefix('/')?;
            Some(rest.split('/').next()?.to_owned())
        };
        let names: BTreeSet<String> = files.keys().filter_map(below).collect();
        let known = !names.is_empty() || self.directories.borrow().contains(directory);
        if known { Ok(names.into_iter().collect()) } else { Err(missing()) }
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        self.directories.borrow_mut().insert(directory.to_owned());
        for (name, text) in &*self.group_files.borrow() {
            self.put(&format!("{directory}/{name}"), text);
        }
        Ok(())
    }

    fn remove_directory(&self, directory: &str) -> io::Result<()> {
        let below = format!("{directory}/");
        self.files.borrow_mut().retain(|file, _| !file.starts_with(&below));
        if self.directories.borrow_mut().remove(directory) { Ok(()) } else { Err(missing()) }
    }

    fn is_writable(&self, file: &str) -> bool {
        self.files.borrow().contains_key(file) && !self.forbidden.borrow().contains(file)
    }

    fn swap(&self, device: &str, priority: Option<i32>) -> io::Result<()> {
        let table = self.text("/proc/swaps");
        let mut lines: Vec<&str> = table.lines().filter(|line| !line.starts_with(device)).collect();
        let line = format!("{device} partition 1000 0 {}", priority.unwrap_or(0));
        lines.extend(priority.map(|_| line.as_str()));
        self.put("/proc/swaps", &lines.join("\n"));
        Ok(())
    }
}
