//! Progress on standard error while someone is there to see it: one line, rewritten in place a few times a second.
//!
//! A thread of its own draws, so that the line moves while a single run takes a minute. Whatever is printed comes after
//! [`Progress::end`] or after the line was dropped; both leave an empty line.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lotse_host::{Interrupt, Screen};
use lotse_model::Progress;

mod view;

use view::View;

/// Nothing is shown before this much time.
const PATIENCE: Duration = Duration::from_millis(500);
/// The line moves this often: often enough to see life, seldom enough not to disturb what is measured.
const PACE: Duration = Duration::from_millis(200);

/// A line that is rewritten in place.
pub(crate) struct Line {
    shared: Arc<Shared>,
    /// Draws; nobody where nobody looks.
    painter: Option<JoinHandle<()>>,
    shown: bool,
    /// What goes on between pieces of work.
    base: Option<String>,
    /// Whether Ctrl-C ends the process after the line was cleaned. A measurement deals with it itself.
    ends: bool,
}

/// What the painter and the one who works have in common.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Default)]
struct State {
    /// What is going on; nothing between two pieces of work.
    view: Option<View>,
    /// When the first piece of work began.
    begun: Option<Instant>,
    drawn: bool,
    over: bool,
}

impl Line {
    /// For work that Ctrl-C may end anywhere.
    pub(crate) fn new(wanted: bool) -> Self {
        Self::made(wanted, true)
    }

    /// For work that says nothing about itself, or only about pieces of it.
    pub(crate) fn busy(what: &str) -> Self {
        let mut line = Self::new(true);
        line.begin(what, None);
        line.base = Some(what.to_owned());
        line
    }

    /// For a measurement, which ends by itself when it is interrupted.
    pub(crate) fn of_measurement(wanted: bool) -> Self {
        Self::made(wanted, false)
    }

    fn made(wanted: bool, ends: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let shown = wanted && !is_dumb && std::io::stderr().is_terminal();
        Self { shared: Arc::default(), painter: None, shown, base: None, ends }
    }

    /// Writes text where the line is, which then goes on below it.
    pub(crate) fn above(&self, text: &str) {
        // The painter waits as long as the state is held.
        let mut state = self.state();
        state.clean();
        anstream::eprint!("{text}");
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_painter(&mut self) {
        if !self.shown || self.painter.is_some() {
            return;
        }
        let interrupt = if self.ends { Interrupt::install().ok() } else { None };
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

impl Progress for Line {
    fn begin(&mut self, what: &str, total: Option<u64>) {
        if !self.shown {
            return;
        }
        let now = Instant::now();
        let mut state = self.state();
        state.view = Some(View::new(what, total, now));
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
        let base = self.base.as_deref().map(|what| View::new(what, None, Instant::now()));
        let mut state = self.state();
        state.view = base;
        state.clean();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.base = None;
        self.end();
        self.state().over = true;
        self.shared.over.notify_all();
        if let Some(painter) = self.painter.take()
            && painter.join().is_err()
        {
            crate::screen::remark("progress could not be shown to the end");
        }
    }
}

impl State {
    /// Leaves an empty line where one was drawn.
    fn clean(&mut self) {
        if std::mem::take(&mut self.drawn) {
            write("");
        }
    }

    fn draw(&mut self, now: Instant) {
        let patient = self.begun.is_some_and(|begun| now - begun < PATIENCE);
        if let Some(view) = self.view.as_mut().filter(|_| !patient) {
            // The last column stays free: some terminals begin a new line as soon as it is written.
            let width = Screen::Stderr.width().unwrap_or(80).saturating_sub(1);
            write(&view.line(width, now));
            self.drawn = true;
        }
    }
}

/// Draws until the work is over; after Ctrl-C it cleans the line and ends the process where that is its task.
fn paint(shared: &Shared, interrupt: Option<&Interrupt>) {
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.over {
        if interrupt.is_some_and(Interrupt::is_set) {
            state.clean();
            #[expect(clippy::exit, reason = "nobody else listens to Ctrl-C while a file is read")]
            std::process::exit(crate::exit::Exit::Interrupted as i32);
        }
        state.draw(Instant::now());
        let waited = shared.over.wait_timeout(state, PACE);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    // A terminal that went away must not end a measurement.
    if write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush()).is_err() {}
}
