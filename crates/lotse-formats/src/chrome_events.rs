//! Parses Chrome's Trace Event Format: gives the events one by one, as they are written in the file.
//!
//! The profile reader and the trace reader of the format both use it. The input is a list of events, or an object with
//! the list under `traceEvents`; the closing brackets may be missing, as the format allows. Only one event is in memory
//! at a time.

mod exact;
mod left_out;

use std::borrow::Cow;

use crate::json::Cursor;
use crate::reading::Diagnostic;

pub(crate) use exact::nanos;
pub(crate) use left_out::LeftOut;

/// An event as it is written in the file.
#[derive(Debug, Default)]
pub(crate) struct ChromeEvent<'a> {
    pub(crate) name: Cow<'a, str>,
    /// Categories, separated by commas.
    pub(crate) category: Cow<'a, str>,
    /// The letter of the event's type, such as `B` for begin; 0 if there is none.
    pub(crate) phase: u8,
    /// The time in microseconds, with all its digits, for [`nanos`].
    pub(crate) ts: Cow<'a, str>,
    /// The duration in microseconds, with all its digits.
    pub(crate) dur: Cow<'a, str>,
    /// The duration in microseconds of the thread's CPU clock, with all its digits.
    pub(crate) tdur: Cow<'a, str>,
    pub(crate) pid: Cow<'a, str>,
    pub(crate) tid: Cow<'a, str>,
    pub(crate) id: Cow<'a, str>,
    /// The arguments as JSON; empty if there are none.
    pub(crate) args: &'a str,
}

/// An item of a trace.
#[derive(Debug)]
pub(crate) enum ChromeItem<'a> {
    Event(ChromeEvent<'a>),
    /// The key and the JSON of another entry of the outermost object; the JSON may be cut off.
    Section(Cow<'a, str>, &'a str),
    /// An element of the list that is not an event.
    Other,
}

/// Iterates over the items of a trace, up to the first syntax error.
#[derive(Debug)]
pub(crate) struct ChromeEvents<'a> {
    cursor: Cursor<'a>,
    state: ParseState,
    unfinished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParseState {
    Start,
    Object,
    List { inside_object: bool },
    Done,
}

impl<'a> ChromeEvents<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { cursor: Cursor::new(text), state: ParseState::Start, unfinished: false }
    }

    /// Whether the text ended between two events, without the closing bracket.
    pub(crate) fn unfinished(&self) -> bool {
        self.unfinished
    }

    /// The next item; `None` at the end. A state machine over the outermost object and the list of events:
    ///
    /// ```text
    ///           [ → List ──────────── ] ─→ Done
    /// Start ─┤
    ///           { → Object ─ "traceEvents": [ → List ─ ] → Object ─ } → Done
    /// ```
    fn next_item(&mut self) -> Result<Option<ChromeItem<'a>>, Diagnostic> {
        loop {
            match self.state {
                ParseState::Start if self.cursor.eat(b'[') => {
                    self.state = ParseState::List { inside_object: false }
                }
                ParseState::Start => {
                    self.cursor.expect(b'{')?;
                    self.state = ParseState::Object;
                }
                ParseState::Done => return Ok(None),
                _ if self.cursor.peek().is_none() => {
                    self.unfinished = true;
                    self.state = ParseState::Done;
                }
                ParseState::Object if self.cursor.eat(b'}') => self.expect_end()?,
                ParseState::Object => {
                    if let Some(section) = self.read_entry()? {
                        return Ok(Some(section));
                    }
                }
                ParseState::List { inside_object } if self.cursor.eat(b']') => {
                    if inside_object {
                        self.separate(b'}')?;
                        self.state = ParseState::Object;
                    } else {
                        self.expect_end()?;
                    }
                }
                ParseState::List { .. } => return self.read_element().map(Some),
            }
        }
    }

    /// Ends the iteration; an error if anything follows.
    fn expect_end(&mut self) -> Result<(), Diagnostic> {
        self.state = ParseState::Done;
        if self.cursor.peek().is_some() { Err(self.cursor.flaw("expected the end")) } else { Ok(()) }
    }

    /// Reads an entry of the outermost object; `None` if it begins the list of events.
    fn read_entry(&mut self) -> Result<Option<ChromeItem<'a>>, Diagnostic> {
        let key = scalar(self.cursor.raw()?);
        self.cursor.expect(b':')?;
        if key == "traceEvents" && self.cursor.eat(b'[') {
            self.state = ParseState::List { inside_object: true };
            return Ok(None);
        }
        let rest = self.cursor.rest();
        let Ok(value) = self.cursor.raw() else {
            self.cursor.finish();
            return Ok(Some(ChromeItem::Section(key, rest)));
        };
        self.separate(b'}')?;
        Ok(Some(ChromeItem::Section(key, value)))
    }

    fn read_element(&mut self) -> Result<ChromeItem<'a>, Diagnostic> {
        let text = self.cursor.raw()?;
        self.separate(b']')?;
        Ok(parse_event(text).map_or(ChromeItem::Other, ChromeItem::Event))
    }

    /// Takes the comma after an entry, unless the closing bracket or the end of the text follows.
    fn separate(&mut self, close: u8) -> Result<(), Diagnostic> {
        match self.cursor.peek() {
            Some(next) if next != close => self.cursor.expect(b','),
            _ => Ok(()),
        }
    }
}

impl<'a> Iterator for ChromeEvents<'a> {
    type Item = Result<ChromeItem<'a>, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.next_item().transpose();
        if matches!(item, Some(Err(_))) {
            self.state = ParseState::Done;
        }
        item
    }
}

/// The event in a JSON object; `None` if the text is not an object.
fn parse_event(text: &str) -> Option<ChromeEvent<'_>> {
    let mut cursor = Cursor::new(text);
    let mut event = ChromeEvent::default();
    if !cursor.eat(b'{') {
        return None;
    }
    while !cursor.eat(b'}') {
        let key = scalar(cursor.raw().ok()?);
        cursor.expect(b':').ok()?;
        event.set(&key, cursor.raw().ok()?);
        cursor.eat(b',');
    }
    Some(event)
}

impl<'a> ChromeEvent<'a> {
    /// Sets the field of a key; `value` is JSON. Keys that are not used are ignored.
    fn set(&mut self, key: &str, value: &'a str) {
        match key {
            "name" => self.name = scalar(value),
            "ph" => self.phase = scalar(value).bytes().next().unwrap_or(0),
            "cat" => self.category = scalar(value),
            "ts" => self.ts = scalar(value),
            "dur" => self.dur = scalar(value),
            "tdur" => self.tdur = scalar(value),
            "pid" => self.pid = scalar(value),
            "tid" => self.tid = scalar(value),
            "id" => self.id = scalar(value),
            "args" => self.args = value,
            _ => {}
        }
    }
}

/// The text of a JSON value: a string without its quotes, a number as it is written, empty for `null`.
fn scalar(value: &str) -> Cow<'_, str> {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Cow::Borrowed(if value == "null" { "" } else { value });
    };
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str(value).map_or(Cow::Borrowed(inner), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::{ChromeEvents, ChromeItem};

    fn parsed(text: &str) -> (Vec<String>, bool) {
        let mut events = ChromeEvents::new(text);
        let items = events.by_ref().map(|item| match item {
            Ok(ChromeItem::Event(event)) => {
                format!("{}{}{}@{}", char::from(event.phase), event.tid, event.name, event.ts)
            }
            Ok(ChromeItem::Section(key, text)) => format!("{key}={text}"),
            Ok(ChromeItem::Other) => "other".to_owned(),
            Err(flaw) => format!("{}: {}", flaw.place, flaw.message),
        });
        (items.collect(), events.unfinished())
    }

    #[test]
    fn a_list_and_an_object_hold_the_same_events() {
        let list = r#"[{"ph": "B", "tid": 1, "name": "a\n", "ts": "7"}, 3, {"ph": "E"}]"#;
        let expected = ["B1a\n@7", "other", "E@"].map(str::to_owned).to_vec();
        assert_eq!(parsed(list), (expected.clone(), false));
        let object = format!(r#"{{"a": [1], "traceEvents": {list}, "b": "x"}}"#);
        let mut around = vec!["a=[1]".to_owned()];
        around.extend(expected);
        around.push("b=\"x\"".to_owned());
        assert_eq!(parsed(&object), (around, false));
    }

    #[test]
    fn closing_brackets_may_be_missing() {
        for text in ["[{\"ph\": \"B\"}", "[{\"ph\": \"B\"},\n\n", "{\"traceEvents\": [{\"ph\": \"B\"},"] {
            assert_eq!(parsed(text), (vec!["B@".to_owned()], true), "{text}");
        }
    }

    #[test]
    fn an_error_ends_the_events_and_has_a_place() {
        let (items, _) = parsed("[{\"ph\": \"B\"},\n{\"ph\": \"E\", x");
        assert_eq!((items.len(), items[0].as_str()), (2, "B@"));
        assert!(items[1].starts_with("line 2, column"), "{items:?}");
        assert_eq!(parsed("[] x").0, ["line 1, column 4: expected the end"]);
        assert_eq!(parsed("x").0, ["line 1, column 1: expected `{`"]);
        assert_eq!(parsed("{\"samples\": [1, 2").0, ["samples= [1, 2"]);
    }
}
