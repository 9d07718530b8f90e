//! The contents of a speedscope file.

use crate::json::{Fill, Index, Number};

#[derive(Debug, Default)]
pub(super) struct SpeedscopeFile {
    pub(super) frames: Vec<SpeedscopeFrame>,
    pub(super) profiles: Vec<SpeedscopeProfile>,
    pub(super) exporter: String,
    pub(super) name: String,
    /// The index of the profile that is shown first.
    pub(super) active: Number,
}

impl Fill for SpeedscopeFile {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "shared" => Some(self),
            "frames" => Some(&mut self.frames),
            "profiles" => Some(&mut self.profiles),
            "exporter" => Some(&mut self.exporter),
            "name" => Some(&mut self.name),
            "activeProfileIndex" => Some(&mut self.active),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SpeedscopeFrame {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: Number,
    pub(super) column: Number,
    /// Line and column of the definition; only Lotse writes them.
    pub(super) definition: (Number, Number),
}

impl Fill for SpeedscopeFrame {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "file" => Some(&mut self.file),
            "line" => Some(&mut self.line),
            "col" => Some(&mut self.column),
            "functionLine" => Some(&mut self.definition.0),
            "functionColumn" => Some(&mut self.definition.1),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SpeedscopeProfile {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) start: Number,
    pub(super) end: Number,
    pub(super) events: Vec<SpeedscopeEvent>,
    pub(super) samples: Vec<Vec<Index>>,
    pub(super) weights: Vec<Number>,
}

impl SpeedscopeProfile {
    /// Whether any number has digits after the point.
    pub(super) fn has_fractions(&self) -> bool {
        let times = self.events.iter().map(|event| event.at);
        self.weights.iter().copied().chain(times).any(Number::has_fraction)
    }
}

impl Fill for SpeedscopeProfile {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "type" => Some(&mut self.kind),
            "name" => Some(&mut self.name),
            "unit" => Some(&mut self.unit),
            "startValue" => Some(&mut self.start),
            "endValue" => Some(&mut self.end),
            "events" => Some(&mut self.events),
            "samples" => Some(&mut self.samples),
            "weights" => Some(&mut self.weights),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SpeedscopeEvent {
    pub(super) kind: SpeedscopeEventKind,
    pub(super) at: Number,
    pub(super) frame: Index,
}

/// Whether an event opens a frame or closes it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum SpeedscopeEventKind {
    #[default]
    Unknown,
    Open,
    Close,
}

impl Fill for SpeedscopeEventKind {
    fn text(&mut self, text: &str) {
        *self = match text {
            "O" => Self::Open,
            "C" => Self::Close,
            _ => Self::Unknown,
        };
    }
}

impl Fill for SpeedscopeEvent {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "type" => Some(&mut self.kind),
            "at" => Some(&mut self.at),
            "frame" => Some(&mut self.frame),
            _ => None,
        }
    }
}
