//! Files that are several documents at once, such as a profile and a trace.

use std::sync::Arc;

use super::Session;
use crate::open::OpenRequest;

/// Why the thread of a document was started. A reload opens no other document: the user may have closed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartReason {
    Opened,
    Reloaded,
}

impl Session {
    /// Opens the other documents of a file, on a thread of its own since the file is looked at.
    pub(super) fn open_others(self: &Arc<Self>, request: OpenRequest) {
        if request.kind.is_some() {
            return;
        }
        let session = Arc::clone(self);
        std::thread::spawn(move || {
            // A file that cannot be read any more has no other documents either.
            let kinds = session.opener.kinds(&request).unwrap_or_else(|_| Vec::new());
            session.open_all(request.others(&kinds));
        });
    }

    /// Opens documents beside another one. If too many are open, they are left out: the remark of the first names them.
    pub(super) fn open_all(self: &Arc<Self>, requests: Vec<OpenRequest>) {
        for request in requests {
            drop(self.open(request));
        }
    }

    /// Whether the document belongs to another one of the same files, which the list of recent files has.
    pub(super) fn is_other(&self, request: &OpenRequest) -> bool {
        let is_first = |first: &OpenRequest| first.kind.is_none() && first.paths == request.paths;
        request.kind.is_some() && self.entries().iter().any(|entry| is_first(&entry.request))
    }
}

#[cfg(test)]
mod tests {
    use crate::session::tests::{NamedFiles, is_ready, request, session, wait_for};

    /// The second document comes by itself, and again when the file is opened again; a reload does not bring it back.
    #[test]
    fn a_file_of_two_kinds_is_two_documents() {
        let session = session(NamedFiles::default());
        let names = || -> Vec<String> { session.state().documents.into_iter().map(|it| it.name).collect() };
        let first = session.open(request("both")).unwrap();
        wait_for(&session, first + 1, is_ready);
        assert_eq!(names(), ["both", "both (trace)"]);
        session.close(first + 1);
        session.reload(first);
        wait_for(&session, first, is_ready);
        assert_eq!(names(), ["both"]);
        assert_eq!(session.open(request("both")).unwrap(), first);
        wait_for(&session, first + 2, is_ready);
        assert_eq!(names(), ["both", "both (trace)"]);
    }
}
