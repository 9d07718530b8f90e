//! Definitions of event types: collects them, sorts them by dependency, and compiles them. Circular definitions are
//! errors.

use std::collections::{HashMap, HashSet};

use lotse_model::profile::{EventType, Formula, Profile};

use super::builtin;
use super::column::Column;
use super::compile::{Compiled, Scope, compile};
use super::error::{EventError, ExpressionSpan, short};
use super::expression::Expression;
use super::names::Names;
use super::order::EvaluationOrder;
use super::token::BuiltInFunction;

/// The greatest number of formulas that are read from a file, more than any tool writes.
const MOST_FORMULAS: usize = 256;

/// The event types that could be derived, in the order of their definitions, and errors in formulas of the file.
#[derive(Debug)]
pub(super) struct Derived {
    pub(super) columns: Vec<Column>,
    pub(super) problems: Vec<String>,
}

/// Derives all event types. An error in a definition of the user is returned; one in a formula of the file only leaves
/// that formula out.
pub(super) fn derive(
    profile: &Profile,
    own: &[Column],
    definitions: &[String],
) -> Result<Derived, EventError> {
    let mut table = DefinitionTable::new(own);
    let texts = table.split_user_definitions(definitions)?;
    table.names = names(profile, &texts);
    for text in texts {
        let expression = Expression::parse(&text.text, text.from, &table.names)?;
        table.add(text.name, None, expression, DefinitionOrigin::User);
    }
    table.add_formulas(&profile.formulas);
    table.add_built_ins(&profile.events);
    table.resolve()
}

/// All names that an expression may use.
fn names(profile: &Profile, users: &[UserText]) -> Names {
    let events = profile.events.iter().map(|event| event.name.clone());
    let formulas = profile.formulas.iter().map(|formula| formula.name.clone());
    let built_in = builtin::ALL.iter().map(|built_in| built_in.name.to_owned());
    Names::new(events.chain(formulas).chain(built_in).chain(users.iter().map(|text| text.name.clone())))
}

struct UserText {
    name: String,
    text: String,
    /// Where the expression begins.
    from: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DefinitionOrigin {
    File,
    BuiltIn,
    User,
}

#[derive(Debug)]
struct Definition {
    name: String,
    title: Option<String>,
    expression: Expression,
    origin: DefinitionOrigin,
}

#[derive(Debug)]
struct DefinitionTable<'a> {
    own: HashMap<&'a str, &'a Column>,
    names: Names,
    definitions: Vec<Definition>,
    by_name: HashMap<String, usize>,
    derived: HashMap<String, Column>,
    failed: HashSet<String>,
    problems: Vec<String>,
}

impl Scope for DefinitionTable<'_> {
    fn column(&self, name: &str) -> Option<&Column> {
        self.own.get(name).copied().or_else(|| self.derived.get(name))
    }

    fn known(&self) -> Vec<String> {
        let mut own: Vec<&Column> = self.own.values().copied().collect();
        own.sort_by_key(|column| column.event());
        let own = own.into_iter().map(|column| column.name.clone());
        let derived = self.definitions.iter().map(|definition| &definition.name);
        own.chain(derived.filter(|name| !self.failed.contains(*name)).cloned()).collect()
    }
}

impl<'a> DefinitionTable<'a> {
    fn new(own: &'a [Column]) -> Self {
        let mut by_name = HashMap::new();
        for column in own {
            by_name.entry(column.name.as_str()).or_insert(column);
        }
        Self {
            own: by_name,
            names: Names::default(),
            definitions: Vec::new(),
            by_name: HashMap::new(),
            derived: HashMap::new(),
            failed: HashSet::new(),
            problems: Vec::new(),
        }
    }

    /// Splits the user's definitions; a name must be new and not a word of the language.
    fn split_user_definitions(&self, definitions: &[String]) -> Result<Vec<UserText>, EventError> {
        let mut texts: Vec<UserText> = Vec::new();
        for definition in definitions {
            let text = split_definition(definition)?;
            let twice = texts.iter().any(|other| other.name == text.name);
            if twice || self.own.contains_key(text.name.as_str()) || is_word_of_language(&text.name) {
                return Err(EventError::Taken { definition: definition.clone(), name: text.name });
            }
            texts.push(text);
        }
        Ok(texts)
    }

    fn add(&mut self, name: String, title: Option<String>, expression: Expression, origin: DefinitionOrigin) {
        self.by_name.insert(name.clone(), self.definitions.len());
        self.definitions.push(Definition { name, title, expression, origin });
    }

    /// Adds the formulas of the file; those that the user redefines are skipped, and wrong ones are reported.
    fn add_formulas(&mut self, formulas: &[Formula]) {
        for formula in formulas.iter().take(MOST_FORMULAS) {
            let name = formula.name.as_str();
            if self
                .by_name
                .get(name)
                .is_some_and(|&index| self.definitions[index].origin == DefinitionOrigin::User)
            {
                continue;
            }
            if name.is_empty() || self.own.contains_key(name) || self.by_name.contains_key(name) {
                self.problems
                    .push(format!("the formula of {:?} is left out: the name is not free", short(name)));
                continue;
            }
            let before = format!("{name} = ");
            match Expression::parse(&format!("{before}{}", formula.text), before.len(), &self.names) {
                Ok(expression) => {
                    self.add(name.to_owned(), formula.title.clone(), expression, DefinitionOrigin::File)
                }
                Err(error) => self.problems.push(left_out(name, &error)),
            }
        }
        if let Some(more) = formulas.len().checked_sub(MOST_FORMULAS).filter(|more| *more > 0) {
            self.problems.push(format!("{more} formulas of {} are left out", formulas.len()));
        }
    }

    /// Adds the well-known event types for which the profile has all event types.
    fn add_built_ins(&mut self, events: &[EventType]) {
        let modifiers = modifiers(events);
        for built_in in builtin::ALL {
            let mut variants = modifiers.iter().filter_map(|modifier| self.variant(built_in, modifier));
            if let Some(expression) = variants.next().filter(|_| !self.is_defined(built_in.name)) {
                let title = Some(built_in.title.to_owned());
                self.add(built_in.name.to_owned(), title, expression, DefinitionOrigin::BuiltIn);
            }
        }
    }

    /// The formula with a modifier appended to all names, if the profile has these event types.
    fn variant(&self, built_in: &builtin::BuiltIn, modifier: &str) -> Option<Expression> {
        let plain = Expression::parse(built_in.formula, 0, &self.names).ok()?;
        let expression = match modifier {
            "" => plain,
            _ => Expression::parse(&plain.with_suffix(modifier), 0, &self.names).ok()?,
        };
        let complete = expression.names().all(|name| self.is_defined(name));
        complete.then_some(expression)
    }

    fn is_defined(&self, name: &str) -> bool {
        self.own.contains_key(name) || self.by_name.contains_key(name)
    }

    /// Compiles all definitions, each after those that it depends on.
    fn resolve(mut self) -> Result<Derived, EventError> {
        let order = EvaluationOrder::new(&self.dependencies());
        for index in order.sorted {
            let compiled = match order.circles.get(&index) {
                None => compile(&self.definitions[index].expression, &self),
                Some(circle) => Err(self.circle_error(circle)),
            };
            self.record(index, compiled)?;
        }
        self.definitions.sort_by_key(|definition| definition.origin);
        let columns = self.definitions.iter().filter_map(|definition| self.derived.remove(&definition.name));
        Ok(Derived { columns: columns.collect(), problems: self.problems })
    }

    /// Stores a compiled definition, or handles its error by the definition's origin.
    fn record(&mut self, index: usize, compiled: Result<Compiled, EventError>) -> Result<(), EventError> {
        let Definition { name, title, expression, origin } = &self.definitions[index];
        let error = match compiled {
            Ok(compiled) => {
                let column = Column::derived(name, title.clone(), expression.written(), compiled);
                self.derived.insert(name.clone(), column);
                return Ok(());
            }
            Err(error) => error,
        };
        match origin {
            DefinitionOrigin::User => return Err(error),
            DefinitionOrigin::File => self.problems.push(left_out(name, &error)),
            // The event types of a profile may only have the same names; no message, because the user did not define this.
            DefinitionOrigin::BuiltIn => {}
        }
        self.failed.insert(name.clone());
        Ok(())
    }

    /// For each definition, those that it depends on.
    fn dependencies(&self) -> Vec<Vec<usize>> {
        let needed = |definition: &Definition| {
            let names = definition.expression.names().filter(|name| !self.own.contains_key(name));
            names.filter_map(|name| self.by_name.get(name).copied()).collect()
        };
        self.definitions.iter().map(needed).collect()
    }

    fn circle_error(&self, circle: &[usize]) -> EventError {
        let name = |&index: &usize| self.definitions[index].name.clone();
        EventError::Circle { circle: circle.iter().chain(circle.first()).map(name).collect() }
    }
}

/// Splits `NAME = EXPRESSION`; the name may be written in backticks.
fn split_definition(text: &str) -> Result<UserText, EventError> {
    let wrong = |span| EventError::Syntax {
        at: ExpressionSpan { text: text.to_owned(), span },
        problem: "expected NAME = EXPRESSION".to_owned(),
    };
    let quoted = text.trim_start().strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let (name, from) = match quoted {
        Some((name, rest)) => {
            let equals = text.len() - rest.trim_start().len();
            (name, text[equals..].starts_with('=').then_some(equals + 1))
        }
        None => text
            .split_once('=')
            .map_or((text, None), |(name, rest)| (name.trim(), Some(text.len() - rest.len()))),
    };
    match from {
        Some(from) if !name.is_empty() => Ok(UserText { name: name.to_owned(), text: text.to_owned(), from }),
        _ => Err(wrong(0..text.len())),
    }
}

/// Whether the name has a meaning in expressions.
fn is_word_of_language(name: &str) -> bool {
    name == "calls" || BuiltInFunction::named(name).is_some()
}

fn left_out(name: &str, error: &EventError) -> String {
    format!("the formula of {:?} is left out: {error}", short(name))
}

/// The modifiers that perf appends to names of events, such as `:u`; the first is the empty one.
fn modifiers(events: &[EventType]) -> Vec<&str> {
    let mut modifiers = vec![""];
    for event in events.iter().take(MOST_FORMULAS) {
        let modifier = event.name.find(':').map_or("", |colon| &event.name[colon..]);
        if !modifiers.contains(&modifier) {
            modifiers.push(modifier);
        }
    }
    modifiers
}
