//! Sessions with documents that tests control.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::time::{Duration, Instant};

use lotse_model::Progress as _;
use lotse_model::progress::Checked as _;

use super::{AskError, MOST_DOCUMENTS, Session};
use crate::api::{About, Ask, DocumentKind, Problem, Question, Stage};
use crate::open::{Document, OpenProgress, OpenRequest, Opener, SharedDocument};

/// Opens files by their names: `bad` fails, `panic` panics, `slow` reads until it is cancelled, `shared` is a document that
/// several threads may ask, others are documents.
#[derive(Default)]
pub(super) struct NamedFiles {
    answered: Arc<AtomicUsize>,
    /// How many answers without an end have begun.
    endless: Arc<AtomicUsize>,
    /// Questions wait until a message comes, if there is a receiver.
    gate: Mutex<Option<mpsc::Receiver<()>>>,
}

struct NamedDocument<'o>(&'o NamedFiles);

impl Document for NamedDocument<'_> {
    fn about(&self) -> About {
        About {
            kind: DocumentKind::Bench,
            format: "test".to_owned(),
            sentence: "fine".to_owned(),
            findings: Vec::new(),
            remarks: Vec::new(),
            profile: None,
            trace: None,
        }
    }

    fn answer(&self, question: &Question) -> Result<String, Problem> {
        if let Some(gate) = &*self.0.gate.lock().unwrap() {
            gate.recv().unwrap();
        }
        if matches!(question, Question::CallPaths { metric } if metric == "forever") {
            self.0.endless.fetch_add(1, Ordering::Relaxed);
            (0..).checked().for_each(|_: u64| std::thread::yield_now());
        }
        self.0.answered.fetch_add(1, Ordering::Relaxed);
        match question {
            Question::CallPaths { metric } if metric == "panic" => panic!("a mistake"),
            Question::CallPaths { metric } => Err(Problem::new(metric)),
            _ => Ok("{}".to_owned()),
        }
    }
}

/// A document whose preparation fails, and whose answers wait for a second question.
struct MeetingDocument(Barrier);

impl Document for MeetingDocument {
    fn about(&self) -> About {
        NamedDocument(&NamedFiles::default()).about()
    }

    fn answer(&self, _question: &Question) -> Result<String, Problem> {
        self.0.wait();
        Ok("{}".to_owned())
    }

    fn shared(&self) -> Option<&dyn SharedDocument> {
        Some(self)
    }
}

impl SharedDocument for MeetingDocument {
    fn prepare(&self) {
        panic!("the preparation has a mistake");
    }
}

impl Opener for NamedFiles {
    fn open(
        &self,
        request: &OpenRequest,
        progress: &mut OpenProgress,
        serve: &mut dyn FnMut(&dyn Document),
    ) -> Result<(), Problem> {
        match request.name().as_str() {
            "bad" => return Err(Problem::new("bad is bad")),
            "panic" => panic!("cannot read"),
            "slow" => loop {
                progress.begin("reading", Some(10));
                std::thread::sleep(Duration::from_millis(1));
                progress.end();
            },
            "shared" => serve(&MeetingDocument(Barrier::new(2))),
            _ => serve(&NamedDocument(self)),
        }
        Ok(())
    }

    fn kinds(&self, request: &OpenRequest) -> Result<Vec<DocumentKind>, Problem> {
        let is_both = request.paths[0].ends_with("both");
        Ok(if is_both { vec![DocumentKind::Profile, DocumentKind::Trace] } else { Vec::new() })
    }

    fn explanation(&self, _rule: &str) -> String {
        String::new()
    }
}

pub(super) fn session(opener: NamedFiles) -> Arc<Session> {
    Session::new(Arc::new(opener), false, "0", None)
}

pub(super) fn request(name: &str) -> OpenRequest {
    OpenRequest { paths: vec![PathBuf::from(format!("/nowhere/{name}"))], compare: false, kind: None }
}

/// The stage of a document for which a condition holds.
pub(super) fn wait_for(session: &Session, id: u32, holds: impl Fn(&Stage) -> bool) -> Stage {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let state = session.state();
        let stage = state.documents.into_iter().find(|it| it.id == id).map(|it| it.stage);
        if let Some(stage) = stage.filter(|stage| holds(stage)) {
            return stage;
        }
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn wait_until(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(super) fn is_ready(stage: &Stage) -> bool {
    matches!(stage, Stage::Ready { .. })
}

fn problem_of(stage: &Stage) -> Option<&str> {
    match stage {
        Stage::Failed { problem } => Some(&problem.message),
        _ => None,
    }
}

fn ask(session: &Session, document: u32, question: Question) -> Result<String, AskError> {
    let stage = wait_for(session, document, is_ready);
    let Stage::Ready { revision, .. } = stage else { panic!() };
    run(session.ask(Ask { document, revision, question }))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn a_file_opens_once() {
    let session = session(NamedFiles::default());
    let first = session.open(request("a")).unwrap();
    assert_eq!(session.open(request("a")).unwrap(), first);
    assert_ne!(session.open(request("b")).unwrap(), first);
    assert!(matches!(ask(&session, first, Question::Report {}), Ok(text) if text == "{}"));
    assert!(session.close(first) && !session.close(first));
    assert!(matches!(
        run(session.ask(Ask { document: first, revision: 1, question: Question::Report {} })),
        Err(AskError::Absent)
    ));
}

#[test]
fn two_questions_are_answered_at_once() {
    if super::thread::most_threads() < 2 {
        return;
    }
    let session = session(NamedFiles::default());
    let id = session.open(request("shared")).unwrap();
    std::thread::scope(|scope| {
        let asked = [(); 2].map(|()| scope.spawn(|| ask(&session, id, Question::Report {})));
        for answer in asked {
            assert_eq!(answer.join().unwrap().unwrap(), "{}");
        }
    });
    assert!(is_ready(&wait_for(&session, id, is_ready)), "a failed preparation is no failure");
    assert!(session.close(id));
}

#[test]
fn failures_and_panics_are_problems_of_one_document() {
    let session = session(NamedFiles::default());
    let ids: Vec<u32> =
        ["bad", "panic", "good"].iter().map(|name| session.open(request(name)).unwrap()).collect();
    let failed = |stage: &Stage| problem_of(stage).is_some();
    assert_eq!(problem_of(&wait_for(&session, ids[0], failed)), Some("bad is bad"));
    let panicked = wait_for(&session, ids[1], failed);
    assert!(problem_of(&panicked).unwrap().contains("cannot read"));
    let question = |metric: &str| Question::CallPaths { metric: metric.to_owned() };
    let answer = |metric: &str| ask(&session, ids[2], question(metric));
    assert!(
        matches!(answer("panic"), Err(AskError::Failed(problem)) if problem.message.contains("a mistake"))
    );
    // The document goes on.
    assert!(matches!(answer("other"), Err(AskError::Failed(problem)) if problem.message == "other"));
}

#[test]
fn opening_is_cancelled_soon() {
    let session = session(NamedFiles::default());
    let id = session.open(request("slow")).unwrap();
    wait_for(&session, id, |stage| matches!(stage, Stage::Opening { total: Some(_), .. }));
    assert!(session.cancel(id));
    let stage = wait_for(&session, id, |stage| problem_of(stage).is_some());
    assert_eq!(problem_of(&stage), Some("cancelled"));
    assert!(!session.cancel(id), "nothing is being opened any more");
}

#[test]
fn a_reload_is_a_new_revision() {
    let session = session(NamedFiles::default());
    let id = session.open(request("a")).unwrap();
    let Stage::Ready { revision: before, .. } = wait_for(&session, id, is_ready) else { panic!() };
    // An address from another server, which counted from another moment, has another one.
    assert!(before > 1_000_000);
    assert!(session.reload(id));
    let newer = |stage: &Stage| matches!(stage, Stage::Ready { revision, .. } if *revision > before);
    wait_for(&session, id, newer);
    let late = session.ask(Ask { document: id, revision: before, question: Question::Report {} });
    assert!(matches!(run(late), Err(AskError::Outdated)));
    assert!(!session.reload(99));
}

/// A page that goes away while its question waits for another one costs nothing.
#[test]
fn questions_of_pages_that_are_gone_are_skipped() {
    let (open_gate, gate) = mpsc::channel();
    let opener = NamedFiles { gate: Mutex::new(Some(gate)), ..NamedFiles::default() };
    let answered = Arc::clone(&opener.answered);
    let session = session(opener);
    let id = session.open(request("a")).unwrap();
    let Stage::Ready { revision, .. } = wait_for(&session, id, is_ready) else { panic!() };
    let question = || Ask { document: id, revision, question: Question::Report {} };
    run(async {
        let (first, last) = (session.ask(question()), session.ask(question()));
        let mut gone = Box::pin(session.ask(question()));
        let mut first = Box::pin(first);
        // Each question is sent when it is first polled.
        let waker = std::task::Waker::noop();
        let mut context = std::task::Context::from_waker(waker);
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(gone.as_mut().poll(&mut context).is_pending());
        drop(gone);
        open_gate.send(()).unwrap();
        open_gate.send(()).unwrap();
        assert!(first.await.is_ok() && last.await.is_ok());
    });
    assert_eq!(answered.load(Ordering::Relaxed), 2);
}

/// A document with one thread answers the next question only when the answer to the one before has ended.
#[test]
fn an_answer_ends_when_its_page_is_gone() {
    let opener = NamedFiles::default();
    let (answered, endless) = (Arc::clone(&opener.answered), Arc::clone(&opener.endless));
    let session = session(opener);
    let id = session.open(request("a")).unwrap();
    let Stage::Ready { revision, .. } = wait_for(&session, id, is_ready) else { panic!() };
    let forever = || Question::CallPaths { metric: "forever".to_owned() };
    let ask_forever = || session.ask(Ask { document: id, revision, question: forever() });
    for begun in 1..=3 {
        let mut gone = Box::pin(ask_forever());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(gone.as_mut().poll(&mut context).is_pending());
        wait_until(|| endless.load(Ordering::Relaxed) == begun);
        drop(gone);
        assert_eq!(ask(&session, id, Question::Report {}).unwrap(), "{}");
    }
    assert_eq!(answered.load(Ordering::Relaxed), 3, "none of the endless answers");
    // A document that is closed does not go on either, and whoever waits is told.
    let closed = std::thread::scope(|scope| {
        let asked = scope.spawn(|| run(ask_forever()));
        wait_until(|| endless.load(Ordering::Relaxed) == 4);
        assert!(session.close(id));
        asked.join().unwrap()
    });
    assert!(matches!(closed, Err(AskError::Absent)));
}

#[test]
fn there_is_a_limit() {
    let session = session(NamedFiles::default());
    for number in 0..MOST_DOCUMENTS {
        session.open(request(&format!("f{number}"))).unwrap();
    }
    assert!(session.open(request("one more")).is_err());
}
