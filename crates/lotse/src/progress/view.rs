//! The text of the line of progress: a pure function of what is known, the time, and the width of the terminal.

use std::time::{Duration, Instant};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The next character is shown with each drawing.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// The time of a step is shown from this length on.
const SHOWN_FROM: Duration = Duration::from_secs(1);

/// The current piece of work.
pub(super) struct ProgressView {
    what: String,
    total: Option<u64>,
    begun: Instant,
    step: Option<(String, Instant)>,
    note: String,
    /// The share that is done, and when it was last updated.
    done: Option<(f64, Instant)>,
    frame: usize,
}

impl ProgressView {
    pub(super) fn new(what: &str, total: Option<u64>, now: Instant) -> Self {
        Self {
            what: one_line(what),
            total,
            begun: now,
            step: None,
            note: String::new(),
            done: None,
            frame: 0,
        }
    }

    pub(super) fn step(&mut self, what: &str, now: Instant) {
        self.step = Some((one_line(what), now));
    }

    pub(super) fn advance(&mut self, done: u64, note: &str, now: Instant) {
        self.note = one_line(note);
        let share = self.total.map(|total| (done as f64 / total.max(1) as f64).min(1.0));
        self.done = share.map(|share| (share, now));
    }

    /// `⠙ measuring  45 %  new, run 12 (3 s)  new: -31.0 % to -28.0 %  up to 6 s left`; if that is too wide, the
    /// first word is left out, then the time left, then the estimate; then the text is cut.
    pub(super) fn line(&mut self, width: usize, now: Instant) -> String {
        self.frame = (self.frame + 1) % SPINNER.len();
        let share = self.done.map_or(String::new(), |(share, _)| format!("{:3.0} %", share * 100.0));
        let spinner = SPINNER[self.frame].to_string();
        let head = format!("{spinner} {}", self.what);
        let (step, left) = (self.step_text(now), self.time_left(now));
        let head = if step.is_empty() && share.is_empty() { [&head, &head] } else { [&head, &spinner] };
        let texts = [
            join_nonempty([head[0], &share, &step, &self.note, &left]),
            join_nonempty([head[1], &share, &step, &self.note, &left]),
            join_nonempty([head[1], &share, &step, &self.note]),
            join_nonempty([head[1], &share, &step]),
        ];
        let fitting = texts.iter().find(|text| text.width() <= width);
        cut(fitting.unwrap_or(&texts[3]), width)
    }

    /// The current step, with the time since its begin if that is a second or more; without steps the time so far.
    fn step_text(&self, now: Instant) -> String {
        let (name, since) = match &self.step {
            Some((name, since)) => (name.as_str(), *since),
            None => ("", self.begun),
        };
        match now.saturating_duration_since(since) {
            elapsed if elapsed < SHOWN_FROM => name.to_owned(),
            elapsed if name.is_empty() => seconds(elapsed),
            elapsed => format!("{name} ({})", seconds(elapsed)),
        }
    }

    /// The time left if the rest goes on at the average speed so far; empty below a second or if nothing is known.
    fn time_left(&self, now: Instant) -> String {
        let Some((share, updated)) = self.done.filter(|(share, _)| *share > 0.0) else {
            return String::new();
        };
        let spent = updated.saturating_duration_since(self.begun).as_secs_f64();
        let rest = spent * (1.0 - share) / share - now.saturating_duration_since(updated).as_secs_f64();
        if rest < 1.0 {
            String::new()
        } else {
            format!("up to {} left", seconds(Duration::from_secs_f64(rest)))
        }
    }
}

fn join_nonempty<const N: usize>(parts: [&String; N]) -> String {
    let shown: Vec<&str> = parts.iter().map(|part| part.as_str()).filter(|part| !part.is_empty()).collect();
    shown.join("  ")
}

/// `75 s`, `3 min 20 s`
fn seconds(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds < 120 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| match room.checked_sub(c.width().unwrap_or(0)) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    text.chars().take_while(fits).chain((width > 0).then_some('…')).collect()
}

/// Replaces control characters, which names of programs may contain and which would move the cursor.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use unicode_width::UnicodeWidthStr;

    use super::ProgressView;

    fn after(begin: Instant, seconds: u64) -> Instant {
        begin + Duration::from_secs(seconds)
    }

    #[test]
    fn the_line_says_what_runs_how_far_it_is_and_how_long_it_takes() {
        let begin = Instant::now();
        let mut view = ProgressView::new("measuring", Some(1000), begin);
        assert_eq!(view.line(80, begin), "⠙ measuring");
        view.step("old, run 1", begin);
        assert_eq!(view.line(80, after(begin, 59)), "⠹ measuring  old, run 1 (59 s)");
        view.advance(500, "new: -31.0 % to -28.0 %", after(begin, 60));
        view.step("new, run 2", after(begin, 60));
        let whole = "⠸ measuring   50 %  new, run 2 (3 s)  new: -31.0 % to -28.0 %  up to 57 s left";
        assert_eq!(view.line(80, after(begin, 63)), whole);
    }

    #[test]
    fn narrow_terminals_get_less() {
        let begin = Instant::now();
        let mut view = ProgressView::new("measuring", Some(10), begin);
        view.step("a program with a long name\u{1b}[2J, run 2", begin);
        view.advance(5, "b: +1.0 % to +2.0 %", after(begin, 200));
        for width in 0..120 {
            let line = view.line(width, after(begin, 200));
            assert!(line.width() <= width, "{width}: {line}");
            assert!(!line.contains('\u{1b}'));
        }
        assert!(view.line(119, after(begin, 200)).contains("up to 3 min 20 s left"));
        assert!(!view.line(70, after(begin, 200)).contains("left"));
        assert!(!view.line(50, after(begin, 200)).contains("to +2.0 %"));
    }
}
