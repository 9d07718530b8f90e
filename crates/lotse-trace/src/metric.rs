//! Metrics of waits: what is booked, under what, and how exact it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::Class;

/// A kind of lost time; its name tells it from others.
#[derive(Debug, Eq)]
pub struct Metric {
    /// Its name in answers.
    pub id: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// What it is part of.
    pub parent: Parent,
    /// How exact it is.
    pub bound: Bound,
    /// Whether the waiting location did nothing else in that time: only such waits are subtracted from their class
    /// in the time tree.
    pub is_wait: bool,
    /// Whether somebody else can be to blame for it.
    pub is_charged: bool,
    /// Where re-timing learns what such a wait depends on.
    pub dependency: DependencySource,
    /// Whether the time is lost. What is not may be well spent: it is a kind of time that deserves a look.
    pub is_loss: bool,
}

/// Where re-timing learns what a wait depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencySource {
    /// From records, which tie calls together whether somebody waited or not.
    Records,
    /// From all sends of the run, which show together whether such a send waits.
    Sends,
    /// From the wait that was found: no record tells of it, so the dependency exists only where somebody waited.
    Waits,
    /// From nothing: it is not known what would end the wait earlier.
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
    /// Nothing: it is a share of time that is also booked elsewhere.
    Beside,
}

/// How exact a wait is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// As the clocks tell it.
    Exact,
    /// At least so much.
    Lower,
    /// At most so much.
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

    /// Time that is notable but not waited.
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

    /// The same, where somebody else can be to blame for that time.
    pub const fn charged(self) -> Self {
        Self { is_charged: true, ..self }
    }

    /// The same, where the time may be well spent.
    pub const fn may_be_well_spent(self) -> Self {
        Self { is_loss: false, ..self }
    }

    /// The same, where nobody knows what ends the wait.
    pub const fn without_dependency(self) -> Self {
        Self { dependency: DependencySource::Unknown, ..self }
    }

    /// The same, where records tell re-timing what the wait depends on.
    pub const fn from_records(self) -> Self {
        Self { dependency: DependencySource::Records, ..self }
    }

    /// The same, where all sends of the run show re-timing whether it is a wait.
    pub const fn from_sends(self) -> Self {
        Self { dependency: DependencySource::Sends, ..self }
    }

    /// The metric that contains it and is part of no other.
    pub fn outermost(&self) -> &Self {
        self.and_above().last().unwrap_or(self)
    }

    /// Whether it is the metric of that name, or a part of it.
    pub fn is_within(&self, id: &str) -> bool {
        self.and_above().any(|it| it.id == id)
    }

    fn and_above(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |metric| match metric.parent {
            Parent::Metric(parent) => Some(parent),
            Parent::Class(_) | Parent::Beside => None,
        })
    }
}
