//! The events of a trace in Chrome's Trace Event Format, one after the other, as they stand in the file.
//!
//! Knows nothing of profiles nor of traces of events: both are made from it. Takes a list of events or an object with `traceEvents`; the closing brackets may be
//! missing, as the format allows. Holds one event at a time.

mod exact;

use std::borrow::Cow;

use crate::error::Flaw;
use crate::json::{Cursor, Number};

pub(crate) use exact::nanos;

/// An event as it stands in the file.
#[derive(Debug, Default)]
pub(crate) struct Event<'a> {
    pub(crate) name: Cow<'a, str>,
    /// Categories, with commas between them.
    pub(crate) category: Cow<'a, str>,
    /// The letter that says what kind of event it is; 0 where there is none.
    pub(crate) phase: u8,
    /// Microseconds.
    pub(crate) ts: Number,
    /// The same as it is written, for those who need every digit.
    pub(crate) ts_text: Cow<'a, str>,
    /// Microseconds.
    pub(crate) dur: Number,
    /// The same as it is written.
    pub(crate) dur_text: Cow<'a, str>,
    /// Microseconds of the thread's own clock.
    pub(crate) tdur: Number,
    pub(crate) pid: Cow<'a, str>,
    pub(crate) tid: Cow<'a, str>,
    pub(crate) id: Cow<'a, str>,
    /// The arguments as JSON; empty where there are none.
    pub(crate) args: &'a str,
}

/// What stands in a trace.
#[derive(Debug)]
pub(crate) enum Item<'a> {
    /// An event.
    Event(Event<'a>),
    /// Another entry of the outermost object, as JSON; it may be cut off.
    Section(Cow<'a, str>, &'a str),
    /// An element of the list that is no event.
    Other,
}

/// All items of a trace. After a flaw comes nothing more.
#[derive(Debug)]
pub(crate) struct Events<'a> {
    cursor: Cursor<'a>,
    state: State,
    unfinished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Object,
    List { inside_object: bool },
    Done,
}

impl<'a> Events<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { cursor: Cursor::new(text), state: State::Start, unfinished: false }
    }

    /// Whether the text ended between events without the closing bracket.
    pub(crate) fn unfinished(&self) -> bool {
        self.unfinished
    }

    fn step(&mut self) -> Result<Option<Item<'a>>, Flaw> {
        loop {
            match self.state {
                State::Start if self.cursor.eat(b'[') => self.state = State::List { inside_object: false },
                State::Start => {
                    self.cursor.expect(b'{')?;
                    self.state = State::Object;
                }
                State::Done => return Ok(None),
                _ if self.cursor.peek().is_none() => {
                    self.unfinished = true;
                    self.state = State::Done;
                }
                State::Object if self.cursor.eat(b'}') => self.end()?,
                State::Object => {
                    if let Some(section) = self.entry()? {
                        return Ok(Some(section));
                    }
                }
                State::List { inside_object } if self.cursor.eat(b']') => {
                    if inside_object {
                        self.separate(b'}')?;
                        self.state = State::Object;
                    } else {
                        self.end()?;
                    }
                }
                State::List { .. } => return self.element().map(Some),
            }
        }
    }

    /// Nothing may follow.
    fn end(&mut self) -> Result<(), Flaw> {
        self.state = State::Done;
        if self.cursor.peek().is_some() { Err(self.cursor.flaw("expected the end")) } else { Ok(()) }
    }

    fn entry(&mut self) -> Result<Option<Item<'a>>, Flaw> {
        let key = scalar(self.cursor.raw()?);
        self.cursor.expect(b':')?;
        if key == "traceEvents" && self.cursor.eat(b'[') {
            self.state = State::List { inside_object: true };
            return Ok(None);
        }
        let rest = self.cursor.rest();
        let Ok(value) = self.cursor.raw() else {
            self.cursor.finish();
            return Ok(Some(Item::Section(key, rest)));
        };
        self.separate(b'}')?;
        Ok(Some(Item::Section(key, value)))
    }

    fn element(&mut self) -> Result<Item<'a>, Flaw> {
        let text = self.cursor.raw()?;
        self.separate(b']')?;
        Ok(event(text).map_or(Item::Other, Item::Event))
    }

    /// A comma, or the closing bracket, or the end of the text.
    fn separate(&mut self, close: u8) -> Result<(), Flaw> {
        match self.cursor.peek() {
            Some(next) if next != close => self.cursor.expect(b','),
            _ => Ok(()),
        }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Item<'a>, Flaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.step().transpose();
        if matches!(item, Some(Err(_))) {
            self.state = State::Done;
        }
        item
    }
}

fn event(text: &str) -> Option<Event<'_>> {
    let mut cursor = Cursor::new(text);
    let mut event = Event::default();
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

impl<'a> Event<'a> {
    fn set(&mut self, key: &str, value: &'a str) {
        match key {
            "name" => self.name = scalar(value),
            "ph" => self.phase = scalar(value).bytes().next().unwrap_or(0),
            "cat" => self.category = scalar(value),
            "ts" => {
                self.ts_text = scalar(value);
                self.ts = Number::of_text(&self.ts_text);
            }
            "dur" => {
                self.dur_text = scalar(value);
                self.dur = Number::of_text(&self.dur_text);
            }
            "tdur" => self.tdur = Number::of_text(&scalar(value)),
            "pid" => self.pid = scalar(value),
            "tid" => self.tid = scalar(value),
            "id" => self.id = scalar(value),
            "args" => self.args = value,
            _ => {}
        }
    }
}

/// A text without its quotes, a number as it stands, nothing for `null`.
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
    use super::{Events, Item};

    fn shown(text: &str) -> (Vec<String>, bool) {
        let mut events = Events::new(text);
        let items = events.by_ref().map(|item| match item {
            Ok(Item::Event(event)) => {
                format!("{}{}{}@{:?}", char::from(event.phase), event.tid, event.name, event.ts)
            }
            Ok(Item::Section(key, text)) => format!("{key}={text}"),
            Ok(Item::Other) => "other".to_owned(),
            Err(flaw) => format!("{}: {}", flaw.place, flaw.problem),
        });
        (items.collect(), events.unfinished())
    }

    #[test]
    fn a_list_and_an_object_hold_the_same_events() {
        let list = r#"[{"ph": "B", "tid": 1, "name": "a\n", "ts": "7"}, 3, {"ph": "E"}]"#;
        let expected = ["B1a\n@Whole(7)", "other", "E@Missing"].map(str::to_owned).to_vec();
        assert_eq!(shown(list), (expected.clone(), false));
        let object = format!(r#"{{"a": [1], "traceEvents": {list}, "b": "x"}}"#);
        let mut around = vec!["a=[1]".to_owned()];
        around.extend(expected);
        around.push("b=\"x\"".to_owned());
        assert_eq!(shown(&object), (around, false));
    }

    #[test]
    fn closing_brackets_may_be_missing() {
        for text in ["[{\"ph\": \"B\"}", "[{\"ph\": \"B\"},\n\n", "{\"traceEvents\": [{\"ph\": \"B\"},"] {
            assert_eq!(shown(text), (vec!["B@Missing".to_owned()], true), "{text}");
        }
    }

    #[test]
    fn an_error_ends_the_events_and_has_a_place() {
        let (items, _) = shown("[{\"ph\": \"B\"},\n{\"ph\": \"E\", x");
        assert_eq!((items.len(), items[0].as_str()), (2, "B@Missing"));
        assert!(items[1].starts_with("line 2, column"), "{items:?}");
        assert_eq!(shown("[] x").0, ["line 1, column 4: expected the end"]);
        assert_eq!(shown("x").0, ["line 1, column 1: expected `{`"]);
        assert_eq!(shown("{\"samples\": [1, 2").0, ["samples= [1, 2"]);
    }
}
