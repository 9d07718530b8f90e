//! The messages of a pprof file, by kind, before anything refers to anything.

use super::wire::{Piece, Value};
use crate::oddities::Oddities;

/// What lies at the top of a file.
#[derive(Debug, Default)]
pub(super) struct Messages<'a> {
    pub(super) sample_types: Vec<Piece<'a>>,
    pub(super) samples: Vec<Piece<'a>>,
    pub(super) mappings: Vec<Piece<'a>>,
    pub(super) locations: Vec<Piece<'a>>,
    pub(super) functions: Vec<Piece<'a>>,
    pub(super) strings: Vec<&'a [u8]>,
    /// Indices of comments.
    pub(super) comments: Vec<u64>,
    pub(super) drop_frames: u64,
    pub(super) time: i64,
    pub(super) duration: i64,
    pub(super) default_type: u64,
    pub(super) period_type: Option<Piece<'a>>,
    pub(super) period: i64,
}

impl<'a> Messages<'a> {
    /// All that is good before the first broken field.
    pub(super) fn collect(bytes: &'a [u8], oddities: &mut Oddities) -> Self {
        let mut messages = Self::default();
        for field in (Piece { bytes, at: 0 }).fields() {
            match field.and_then(|(number, value)| messages.add(number, value)) {
                Ok(()) => {}
                Err(flaw) => oddities.loss(flaw.place, format!("{}; what follows is left out", flaw.problem)),
            }
        }
        messages
    }

    fn add(&mut self, number: u64, value: Value<'a>) -> Result<(), crate::error::Flaw> {
        match (number, value) {
            (1, Value::Bytes(piece)) => self.sample_types.push(piece),
            (2, Value::Bytes(piece)) => self.samples.push(piece),
            (3, Value::Bytes(piece)) => self.mappings.push(piece),
            (4, Value::Bytes(piece)) => self.locations.push(piece),
            (5, Value::Bytes(piece)) => self.functions.push(piece),
            (6, Value::Bytes(piece)) => self.strings.push(piece.bytes),
            (7, Value::Number(index)) => self.drop_frames = index,
            (9, Value::Number(time)) => self.time = time as i64,
            (10, Value::Number(duration)) => self.duration = duration as i64,
            (11, Value::Bytes(piece)) => self.period_type = Some(piece),
            (12, Value::Number(period)) => self.period = period as i64,
            (13, Value::Bytes(packed)) => packed.numbers(&mut self.comments)?,
            (13, Value::Number(index)) => self.comments.push(index),
            (14, Value::Number(index)) => self.default_type = index,
            // Frames to keep in spite of a rule, an address of documentation: no place for them.
            _ => {}
        }
        Ok(())
    }
}

/// A sample as in the file.
#[derive(Debug, Default)]
pub(super) struct Sample<'a> {
    pub(super) locations: Vec<u64>,
    pub(super) values: Vec<u64>,
    pub(super) labels: Vec<Piece<'a>>,
}

impl<'a> Sample<'a> {
    /// Reads into itself, so that its memory is used again.
    pub(super) fn read(&mut self, piece: Piece<'a>) -> Result<(), crate::error::Flaw> {
        self.locations.clear();
        self.values.clear();
        self.labels.clear();
        for field in piece.fields() {
            match field? {
                (1, Value::Bytes(packed)) => packed.numbers(&mut self.locations)?,
                (1, Value::Number(id)) => self.locations.push(id),
                (2, Value::Bytes(packed)) => packed.numbers(&mut self.values)?,
                (2, Value::Number(value)) => self.values.push(value),
                (3, Value::Bytes(label)) => self.labels.push(label),
                _ => {}
            }
        }
        Ok(())
    }
}
