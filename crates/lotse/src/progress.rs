//! Progress on standard error if that is a terminal: one line, rewritten in place a few times a second.
//!
//! A separate thread draws the line, so that it moves even while a single run takes a minute. Other output must be printed
//! after [`Progress::end`] or after the line was dropped: both erase the line.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lotse_host::{Interrupt, Screen};
use lotse_model::Progress;

mod view;

use view::ProgressView;

/// Work that is finished sooner shows no progress.
const FIRST_DRAWN_AFTER: Duration = Duration::from_millis(500);
/// Often enough to show that the program is alive, seldom enough not to disturb what is measured.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// The line of progress on standard error.
pub(crate) struct ProgressLine {
    shared: Arc<SharedState>,
    /// The thread that draws; started by the first piece of work, and never where the line is not shown.
    painter: Option<JoinHandle<()>>,
    shown: bool,
    /// The text of [`Self::busy`], shown whenever no other piece of work has begun.
    task_between: Option<String>,
    /// Whether Ctrl-C erases the line and ends the process. A measurement handles Ctrl-C itself.
    exits_on_interrupt: bool,
}

/// What the drawing thread and the working thread share.
#[derive(Default)]
struct SharedState {
    state: Mutex<LineState>,
    finished: Condvar,
}

#[derive(Default)]
struct LineState {
    /// The current piece of work; `None` between two pieces of work.
    view: Option<ProgressView>,
    /// When the first piece of work began.
    begun: Option<Instant>,
    drawn: bool,
    finished: bool,
}

impl ProgressLine {
    /// A line for work that Ctrl-C may end anywhere.
    pub(crate) fn new(wanted: bool) -> Self {
        Self::create(wanted, true)
    }

    /// A line for work that does not report its progress, or only that of some steps; `what` is shown in between.
    pub(crate) fn busy(what: &str) -> Self {
        let mut line = Self::new(true);
        line.begin(what, None);
        line.task_between = Some(what.to_owned());
        line
    }

    /// A line for a measurement, which handles Ctrl-C itself.
    pub(crate) fn for_measurement(wanted: bool) -> Self {
        Self::create(wanted, false)
    }

    fn create(wanted: bool, exits_on_interrupt: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let shown = wanted && !is_dumb && std::io::stderr().is_terminal();
        Self { shared: Arc::default(), painter: None, shown, task_between: None, exits_on_interrupt }
    }

    /// Writes text in place of the line; the line is drawn again below the text.
    pub(crate) fn above(&self, text: &str) {
        // While the state is locked, the drawing thread waits.
        let mut state = self.state();
        state.clean();
        anstream::eprint!("{text}");
    }

    fn state(&self) -> MutexGuard<'_, LineState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_painter(&mut self) {
        if !self.shown || self.painter.is_some() {
            return;
        }
        let interrupt = if self.exits_on_interrupt { Interrupt::install().ok() } else { None };
        let shared = Arc::clone(&self.shared);
        let painter = std::thread::Builder::new()
            .name("progress".to_owned())
            .spawn(move || paint(&shared, interrupt.as_ref()));
        match painter {
            Ok(painter) => self.painter = Some(painter),
            Err(error) => {
                self.shown = false;
                crate::screen::remark(&format!("progress is not shown: {error}"));
            }
        }
    }
}

impl Progress for ProgressLine {
    fn begin(&mut self, what: &str, total: Option<u64>) {
        if !self.shown {
            return;
        }
        let now = Instant::now();
        let mut state = self.state();
        state.view = Some(ProgressView::new(what, total, now));
        state.begun.get_or_insert(now);
        drop(state);
        self.start_painter();
    }

    fn step(&mut self, what: &str) {
        if self.shown
            && let Some(view) = &mut self.state().view
        {
            view.step(what, Instant::now());
        }
    }

    fn advance(&mut self, done: u64, note: &str) {
        if self.shown
            && let Some(view) = &mut self.state().view
        {
            view.advance(done, note, Instant::now());
        }
    }

    fn end(&mut self) {
        let task_between =
            self.task_between.as_deref().map(|what| ProgressView::new(what, None, Instant::now()));
        let mut state = self.state();
        state.view = task_between;
        state.clean();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.task_between = None;
        self.end();
        self.state().finished = true;
        self.shared.finished.notify_all();
        if let Some(painter) = self.painter.take()
            && painter.join().is_err()
        {
            crate::screen::remark("progress could not be shown to the end");
        }
    }
}

impl LineState {
    /// Erases the line if it was drawn.
    fn clean(&mut self) {
        if std::mem::take(&mut self.drawn) {
            write("");
        }
    }

    fn draw(&mut self, now: Instant) {
        let too_early = self.begun.is_some_and(|begun| now - begun < FIRST_DRAWN_AFTER);
        if let Some(view) = self.view.as_mut().filter(|_| !too_early) {
            // The last column stays free: some terminals begin a new line as soon as it is written.
            let width = Screen::Stderr.width().unwrap_or(80).saturating_sub(1);
            write(&view.line(width, now));
            self.drawn = true;
        }
    }
}

/// Draws until the work is finished. With an `interrupt`, Ctrl-C erases the line and ends the process.
fn paint(shared: &SharedState, interrupt: Option<&Interrupt>) {
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.finished {
        if interrupt.is_some_and(Interrupt::is_set) {
            state.clean();
            #[expect(clippy::exit, reason = "nothing else handles Ctrl-C while a file is read")]
            std::process::exit(crate::exit::Exit::Interrupted as i32);
        }
        state.draw(Instant::now());
        let waited = shared.finished.wait_timeout(state, REDRAW_INTERVAL);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    // A closed terminal must not end a measurement.
    if write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush()).is_err() {}
}
