//! Metrics of lost time: their names, their hierarchy, and how exact they are.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::Class;

/// A kind of lost time, identified by its name.
#[derive(Debug, Eq)]
pub struct Metric {
    /// Its name in answers.
    pub id: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    pub parent: Parent,
    pub bound: Bound,
    /// Whether the location did nothing but wait in that time: only such waits are subtracted from their class in the
    /// time tree.
    pub is_wait: bool,
    /// Whether another location can be its cause.
    pub is_charged: bool,
    /// How re-timing determines the dependency of such a wait.
    pub dependency: DependencySource,
    /// Whether the time is lost. Other time may be well spent, but deserves a look.
    pub is_loss: bool,
}

/// How re-timing determines what a wait depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencySource {
    /// From records, which link calls whether one of them waited or not.
    Records,
    /// From all sends of the run, which together show whether such a send waits.
    Sends,
    /// From the detected wait: no record shows the dependency, so it exists only where a location waited.
    Waits,
    /// Not at all: it is not known what would end the wait earlier.
    Unknown,
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.id == other.id
    }
}

/// What a metric is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// A class of the time tree.
    Class(Class),
    /// Another metric, which contains this one's time.
    Metric(&'static Metric),
    /// Nothing: its time is also counted elsewhere.
    Beside,
}

/// How exact a wait is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// As exact as the clocks.
    Exact,
    /// A lower bound.
    Lower,
    /// An upper bound.
    Upper,
}

impl Metric {
    /// A wait inside calls of a class.
    pub const fn wait(id: &'static str, title: &'static str, class: Class, bound: Bound) -> Self {
        Self {
            id,
            title,
            parent: Parent::Class(class),
            bound,
            is_wait: true,
            is_charged: true,
            dependency: DependencySource::Waits,
            is_loss: true,
        }
    }

    /// A part of another metric.
    pub const fn part(id: &'static str, title: &'static str, of: &'static Self, bound: Bound) -> Self {
        Self {
            id,
            title,
            parent: Parent::Metric(of),
            bound,
            is_wait: true,
            is_charged: true,
            dependency: DependencySource::Waits,
            is_loss: true,
        }
    }

    /// Time that is notable but not waiting time.
    pub const fn share(id: &'static str, title: &'static str, bound: Bound) -> Self {
        Self {
            id,
            title,
            parent: Parent::Beside,
            bound,
            is_wait: false,
            is_charged: false,
            dependency: DependencySource::Waits,
            is_loss: true,
        }
    }

    /// Marks that another location can be the cause of that time.
    pub const fn charged(self) -> Self {
        Self { is_charged: true, ..self }
    }

    /// Marks that the time may be well spent.
    pub const fn may_be_well_spent(self) -> Self {
        Self { is_loss: false, ..self }
    }

    /// Marks that it is not known what ends the wait.
    pub const fn without_dependency(self) -> Self {
        Self { dependency: DependencySource::Unknown, ..self }
    }

    /// Marks that records show what the wait depends on.
    pub const fn from_records(self) -> Self {
        Self { dependency: DependencySource::Records, ..self }
    }

    /// Marks that all sends of the run together show whether it is a wait.
    pub const fn from_sends(self) -> Self {
        Self { dependency: DependencySource::Sends, ..self }
    }

    /// The outermost metric that contains it; itself if it is part of no other.
    pub fn outermost(&self) -> &Self {
        self.self_and_parents().last().unwrap_or(self)
    }

    /// Whether it is the metric of that name, or a part of it.
    pub fn is_within(&self, id: &str) -> bool {
        self.self_and_parents().any(|it| it.id == id)
    }

    fn self_and_parents(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |metric| match metric.parent {
            Parent::Metric(parent) => Some(parent),
            Parent::Class(_) | Parent::Beside => None,
        })
    }
}
