//! A small program that the compiler is profiled on: generic code, traits, collections and formatting.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A shape with a size.
pub trait Shape: fmt::Debug {
    /// How large it is.
    fn area(&self) -> f64;
    /// What it is called.
    fn name(&self) -> String;
}

/// A circle.
#[derive(Debug, Clone, PartialEq)]
pub struct Circle {
    /// Half of its width.
    pub radius: f64,
}

/// A rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Rectangle {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.radius * self.radius
    }

    fn name(&self) -> String {
        format!("circle of {}", self.radius)
    }
}

impl Shape for Rectangle {
    fn area(&self) -> f64 {
        self.width * self.height
    }

    fn name(&self) -> String {
        format!("rectangle of {} by {}", self.width, self.height)
    }
}

/// Names of shapes by their rounded area.
pub fn by_area(shapes: &[Box<dyn Shape>]) -> BTreeMap<u64, Vec<String>> {
    let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for shape in shapes {
        found.entry(shape.area() as u64).or_default().push(shape.name());
    }
    found
}

/// How often each word occurs.
pub fn words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    counts
}

/// The most frequent words first.
pub fn ranking(text: &str) -> Vec<(String, usize)> {
    let mut all: Vec<_> = words(text).into_iter().collect();
    all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    all
}

/// Sum of the numbers in a text, or the first word that is none.
pub fn sum(text: &str) -> Result<i64, std::num::ParseIntError> {
    text.split(',').map(|word| word.trim().parse::<i64>()).sum()
}

/// Merges sorted sequences of anything.
pub fn merged<T: Ord + Clone>(one: &[T], other: &[T]) -> Vec<T> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let mut all = Vec::new();
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        let next = if left <= right { one.next() } else { other.next() };
        all.extend(next.cloned());
    }
    all.extend(one.chain(other).cloned());
    all
}

fn main() {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let shapes: [Box<dyn Shape>; 2] =
        [Box::new(Circle { radius: 1.5 }), Box::new(Rectangle { width: 2.0, height: text.len() as f64 })];
    println!("{:?} {:?} {:?} {:?}", by_area(&shapes), ranking(&text), sum(&text), shapes);
    println!("{:?} {:?}", merged(&[1, 3], &[2, 4]), merged(&["a".to_owned()], &[text]));
}
