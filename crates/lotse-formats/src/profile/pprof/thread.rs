//! The thread of a sample, from its labels.

use lotse_model::profile::Part;

/// A thread as labels describe it; all fields are unknown without labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct LabelledThread {
    pub(super) process: Option<u64>,
    pub(super) thread: Option<u64>,
    pub(super) name: Option<String>,
}

impl LabelledThread {
    /// Stores a label; `false` where it says nothing about a thread.
    pub(super) fn set_label(&mut self, key: &str, text: &str, number: u64) -> bool {
        match key {
            "pid" | "process_id" | "process id" => self.process = Some(number),
            "tid" | "thread_id" | "thread id" if text.is_empty() => self.thread = Some(number),
            "tid" | "thread_id" | "thread id" => self.thread = text.parse().ok(),
            "thread" | "thread_name" | "thread name" if !text.is_empty() => self.name = Some(text.to_owned()),
            "thread" => self.thread = Some(number),
            _ => return false,
        }
        true
    }

    /// An empty part for the thread.
    pub(super) fn part(&self) -> Part {
        let name = match (&self.name, self.thread, self.process) {
            (Some(name), _, _) => name.clone(),
            (None, Some(thread), _) => format!("thread {thread}"),
            (None, None, Some(process)) => format!("process {process}"),
            (None, None, None) => "all".to_owned(),
        };
        Part { process: self.process, thread: self.thread, ..Part::new(&name, 0, false) }
    }
}
