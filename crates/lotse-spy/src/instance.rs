//! Instances of data structures, and the code that makes and uses them.

use std::collections::BTreeSet;

use lotse_formats::history::StoredSamples;
use lotse_model::site::SourceSite;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::container::Container;
use crate::nesting::LoopTable;
use crate::samples::RunSamples;

/// An instance, numbered by the producer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct InstanceId(pub u64);

/// A thread, numbered by the producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ThreadId(pub u32);

/// A row of the [`CodeTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CodeId(pub u32);

/// A loop of the program, numbered by the producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LoopId(pub u32);

/// One data structure of the recorded program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Its number.
    pub id: InstanceId,
    /// What it is.
    pub container: Container,
    /// Bytes of an element; 0 where unknown.
    pub element_size: u32,
    /// Where it was created: a row of the code table.
    pub site: CodeId,
    /// Who created it.
    pub thread: ThreadId,
}

impl Instance {
    /// An instance created by the first thread.
    #[must_use]
    pub fn new(id: u64, container: Container, element_size: u32, site: CodeId) -> Self {
        Self { id: InstanceId(id), container, element_size, site, thread: ThreadId::default() }
    }
}

/// A place of the program that creates or uses a data structure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Code {
    /// The library method called there, where one was: `push`, `binary_search`, `contains_key`.
    pub method: Option<String>,
    /// The user's source places, the innermost first, then its callers as far as known.
    #[serde(with = "crate::digest::places")]
    pub chain: Vec<SourceSite>,
}

/// All places of the program, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeTable {
    codes: Vec<Code>,
    /// The loops around them.
    pub(crate) loops: LoopTable,
    /// Functions that called themselves.
    pub(crate) recursive: BTreeSet<String>,
    /// What samples of an unrecorded run tell about loops and calls; no part of a digest, for it may be added to a history later.
    #[serde(skip)]
    pub(crate) samples: RunSamples,
}

impl CodeTable {
    /// Adds a place. The caller keeps equal places together.
    pub fn add(&mut self, code: Code) -> CodeId {
        self.codes.push(code);
        CodeId((self.codes.len() - 1) as u32)
    }

    /// Takes the samples of an unrecorded run, from which the shares of loops and calls are known.
    pub fn take_samples(&mut self, samples: &StoredSamples) {
        self.samples = RunSamples::new(samples, &self.loops);
    }

    /// A place that is one line of one function.
    #[must_use]
    pub fn place(file: &str, line: u32, column: u32, function: &str, method: Option<&str>) -> Code {
        let (file, function) = (file.to_owned(), Some(function.to_owned()));
        let site = SourceSite { file, line: Some(line), column: Some(column), function };
        Code { method: method.map(str::to_owned), chain: vec![site] }
    }

    /// What is known about a place.
    #[must_use]
    pub fn get(&self, code: CodeId) -> Option<&Code> {
        self.codes.get(code.0 as usize)
    }

    /// The innermost place in the user's source.
    #[must_use]
    pub fn site(&self, code: CodeId) -> Option<&SourceSite> {
        self.get(code)?.chain.first()
    }

    /// The library method called there.
    #[must_use]
    pub fn method(&self, code: CodeId) -> Option<&str> {
        self.get(code)?.method.as_deref()
    }
}
