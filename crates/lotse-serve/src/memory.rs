//! What the server remembers between runs: files that were opened, and the page's layout. A new port is a new origin for the
//! browser, so the page cannot keep these itself.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::RecentFile;

/// More are not worth a look.
const MOST_RECENT: usize = 20;
/// A layout is a tree of a few panes; more is a mistake.
pub(crate) const LARGEST_LAYOUT: usize = 64 * 1024;

/// The remembered state and the file it is kept in.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    file: Option<PathBuf>,
    kept: Kept,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    recent: Vec<Opened>,
    layout: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Opened {
    paths: Vec<String>,
    kind: String,
    format: String,
    /// Seconds since 1970.
    at: u64,
}

impl Memory {
    /// The state in a file. A file that is missing or damaged is an empty state: it only holds conveniences.
    pub(crate) fn load(file: Option<PathBuf>) -> Self {
        let text = file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        let kept = text.and_then(|text| serde_json::from_str(&text).ok());
        Self { file, kept: kept.unwrap_or(Kept { recent: Vec::new(), layout: Value::Null }) }
    }

    pub(crate) fn layout(&self) -> &Value {
        &self.kept.layout
    }

    pub(crate) fn set_layout(&mut self, layout: Value) {
        self.reread();
        self.kept.layout = layout;
        self.save();
    }

    /// Another server may have written the file meanwhile: what it added stays.
    fn reread(&mut self) {
        if let Some(file) = self.file.take() {
            *self = Self::load(Some(file));
        }
    }

    /// Puts files at the front of the list.
    pub(crate) fn opened(&mut self, paths: Vec<String>, kind: &str, format: &str) {
        self.reread();
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.kept.recent.retain(|it| it.paths != paths);
        self.kept.recent.insert(0, Opened { paths, kind: kind.to_owned(), format: format.to_owned(), at });
        self.kept.recent.truncate(MOST_RECENT);
        self.save();
    }

    /// The files that still exist, the last opened first.
    pub(crate) fn recent(&self) -> Vec<RecentFile> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let there = |it: &&Opened| it.paths.iter().all(|path| std::path::Path::new(path).exists());
        let row = |it: &Opened| RecentFile {
            paths: it.paths.clone(),
            kind: it.kind.clone(),
            text: format!("{} ({}), {}", it.kind, it.format, age(now.saturating_sub(it.at))),
        };
        self.kept.recent.iter().filter(there).map(row).collect()
    }

    /// Writes the state beside the file and renames it, so that a reader never sees half of it.
    fn save(&self) {
        let Some(file) = &self.file else { return };
        let Ok(text) = serde_json::to_string(&self.kept) else { return };
        let beside = file.with_extension(format!("{}.new", std::process::id()));
        let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written =
            folder.and_then(|()| std::fs::write(&beside, text)).and_then(|()| std::fs::rename(&beside, file));
        if written.is_err() {
            // Nothing depends on it; a later change tries again.
            drop(std::fs::remove_file(&beside));
        }
    }
}

/// How long ago something was.
fn age(seconds: u64) -> String {
    let duration = Duration::from_secs(seconds);
    let (count, unit) = match duration.as_secs() {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MOST_RECENT, Memory, age};

    #[test]
    fn files_and_layout_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/open.json");
        let file = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a", "b"] {
            std::fs::write(file(name), "").unwrap();
        }
        let mut memory = Memory::load(Some(state.clone()));
        memory.opened(vec![file("a")], "profile", "callgrind");
        memory.opened(vec![file("b")], "trace", "otf2");
        memory.opened(vec![file("gone")], "trace", "otf2");
        memory.opened(vec![file("a")], "profile", "callgrind");
        memory.set_layout(json!({"panes": [1, 2]}));
        let again = Memory::load(Some(state.clone()));
        let recent = again.recent();
        assert_eq!(recent.iter().map(|it| it.paths[0].clone()).collect::<Vec<_>>(), [file("a"), file("b")]);
        assert_eq!(recent[0].text, "profile (callgrind), just now");
        assert_eq!(again.layout(), &json!({"panes": [1, 2]}));
        std::fs::write(&state, "{ damaged").unwrap();
        assert!(Memory::load(Some(state)).recent().is_empty());
    }

    #[test]
    fn two_servers_do_not_overwrite_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("open.json");
        let file = |name: &str| folder.path().join(name).display().to_string();
        ["a", "b"].iter().for_each(|name| std::fs::write(file(name), "").unwrap());
        let (mut one, mut other) = (Memory::load(Some(state.clone())), Memory::load(Some(state.clone())));
        one.opened(vec![file("a")], "profile", "perf");
        other.opened(vec![file("b")], "profile", "perf");
        one.set_layout(json!(1));
        assert_eq!(Memory::load(Some(state)).recent().len(), 2);
    }

    #[test]
    fn the_list_is_short() {
        let mut memory = Memory::load(None);
        (0..100).for_each(|number| memory.opened(vec![format!("/{number}")], "profile", "perf"));
        assert_eq!(memory.kept.recent.len(), MOST_RECENT);
    }

    #[test]
    fn ages_are_rounded_down() {
        let shown: Vec<String> = [5, 60, 7199, 7200, 86_400 * 3].map(age).into();
        assert_eq!(shown, ["just now", "1 minute ago", "1 hour ago", "2 hours ago", "3 days ago"]);
    }
}
