//! The JSON document, kept up to where it breaks.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::json::{self, Collect};
use crate::reading::Diagnostic;

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct DhatDocument {
    pub(super) version: u64,
    pub(super) mode: String,
    /// The name of costs where they are not bytes (`bsu`).
    pub(super) bytes: Option<String>,
    /// The name of what is counted where it is not blocks (`bksu`).
    pub(super) blocks: Option<String>,
    /// The unit of times (`tu`).
    pub(super) time: String,
    pub(super) command: Option<String>,
    pub(super) process: Option<u64>,
    /// The time at the end (`te`).
    pub(super) end: Option<u64>,
    pub(super) points: Vec<ProgramPoint>,
    pub(super) frames: Vec<String>,
}

/// A program point. Field names are those of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ProgramPoint {
    /// Bytes in total.
    pub(super) tb: u64,
    /// Blocks in total.
    pub(super) tbk: u64,
    /// Lifetimes of all blocks.
    pub(super) tl: Option<u64>,
    /// Bytes at the global maximum.
    pub(super) gb: Option<u64>,
    /// Blocks at the global maximum.
    pub(super) gbk: Option<u64>,
    /// Bytes at the end.
    pub(super) eb: Option<u64>,
    /// Blocks at the end.
    pub(super) ebk: Option<u64>,
    /// Bytes read.
    pub(super) rb: Option<u64>,
    /// Bytes written.
    pub(super) wb: Option<u64>,
    /// Accesses by byte, run-length encoded.
    pub(super) acc: Vec<i64>,
    /// Frames, the innermost first.
    pub(super) fs: Vec<u32>,
}

impl DhatDocument {
    /// The document as far as the text is valid, and the error where it is not.
    pub(super) fn parse(text: &str) -> (Self, Option<Diagnostic>) {
        let mut document = Self::default();
        let flaw = json::parse(text, DocumentFiller(&mut document)).err();
        (document, flaw)
    }
}

/// Fills a document while it is parsed, so that what comes before an error is kept.
struct DocumentFiller<'a>(&'a mut DhatDocument);

impl<'de> DeserializeSeed<'de> for DocumentFiller<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for DocumentFiller<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of DHAT")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let document = self.0;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "dhatFileVersion" => document.version = map.next_value()?,
                "mode" => document.mode = map.next_value()?,
                "bsu" => document.bytes = map.next_value()?,
                "bksu" => document.blocks = map.next_value()?,
                "tu" => document.time = map.next_value()?,
                "cmd" => document.command = map.next_value()?,
                "pid" => document.process = map.next_value()?,
                "te" => document.end = map.next_value()?,
                "pps" => map.next_value_seed(Collect(&mut document.points))?,
                "ftbl" => map.next_value_seed(Collect(&mut document.frames))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}
