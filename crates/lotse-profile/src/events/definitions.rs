//! Definitions of event types: gathered, put in order, compiled; circles are found on the way.

use std::collections::HashMap;

use lotse_model::profile::{EventType, Formula, Profile};

use super::builtin;
use super::column::Column;
use super::compile::{Scope, compile};
use super::error::{EventError, Place};
use super::expression::{Expression, Operation};
use super::names::Names;
use super::token::Function;

/// More formulas than any tool writes.
const MOST_FORMULAS: usize = 256;

/// The event types that could be derived, in the order of their definitions, and what else there was to say.
#[derive(Debug)]
pub(super) struct Derived {
    pub(super) columns: Vec<Column>,
    pub(super) problems: Vec<String>,
}

/// Derives all that can be derived. An error in a definition of the user's is one; in the file's it is a problem.
pub(super) fn derive(
    profile: &Profile,
    own: &[Column],
    definitions: &[String],
) -> Result<Derived, EventError> {
    let mut library = Library::new(own);
    let texts = library.users(definitions)?;
    library.names = names(profile, &texts);
    for text in texts {
        let expression = Expression::parse(&text.text, text.from, &library.names)?;
        library.add(text.name, None, expression, Origin::User);
    }
    library.file(&profile.formulas);
    library.built_in(&profile.events);
    library.resolve()
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
enum Origin {
    File,
    BuiltIn,
    User,
}

#[derive(Debug)]
struct Definition {
    name: String,
    title: Option<String>,
    expression: Expression,
    origin: Origin,
}

#[derive(Debug)]
struct Library<'a> {
    own: HashMap<&'a str, &'a Column>,
    names: Names,
    definitions: Vec<Definition>,
    by_name: HashMap<String, usize>,
    derived: HashMap<String, Column>,
    problems: Vec<String>,
}

impl Scope for Library<'_> {
    fn column(&self, name: &str) -> Option<&Column> {
        self.own.get(name).copied().or_else(|| self.derived.get(name))
    }

    fn known(&self) -> Vec<String> {
        let mut own: Vec<&Column> = self.own.values().copied().collect();
        own.sort_by_key(|column| column.event());
        let own = own.into_iter().map(|column| column.name.clone());
        own.chain(self.definitions.iter().map(|definition| definition.name.clone())).collect()
    }
}

impl<'a> Library<'a> {
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
            problems: Vec::new(),
        }
    }

    fn users(&self, definitions: &[String]) -> Result<Vec<UserText>, EventError> {
        let mut texts: Vec<UserText> = Vec::new();
        for definition in definitions {
            let text = split(definition)?;
            let twice = texts.iter().any(|other| other.name == text.name);
            if twice || self.own.contains_key(text.name.as_str()) || is_word_of_language(&text.name) {
                return Err(EventError::Taken { definition: definition.clone(), name: text.name });
            }
            texts.push(text);
        }
        Ok(texts)
    }

    fn add(&mut self, name: String, title: Option<String>, expression: Expression, origin: Origin) {
        self.by_name.insert(name.clone(), self.definitions.len());
        self.definitions.push(Definition { name, title, expression, origin });
    }

    fn file(&mut self, formulas: &[Formula]) {
        for formula in formulas.iter().take(MOST_FORMULAS) {
            let name = formula.name.as_str();
            if self.by_name.get(name).is_some_and(|&index| self.definitions[index].origin == Origin::User) {
                continue;
            }
            if name.is_empty() || self.own.contains_key(name) || self.by_name.contains_key(name) {
                self.problems.push(format!("the formula of {name:?} is left out: the name is not free"));
                continue;
            }
            let before = format!("{name} = ");
            match Expression::parse(&format!("{before}{}", formula.text), before.len(), &self.names) {
                Ok(expression) => self.add(name.to_owned(), formula.title.clone(), expression, Origin::File),
                Err(error) => self.problems.push(left_out(name, &error)),
            }
        }
        if let Some(more) = formulas.len().checked_sub(MOST_FORMULAS).filter(|more| *more > 0) {
            self.problems.push(format!("{more} formulas of {} are left out", formulas.len()));
        }
    }

    /// Those of which all ingredients are there.
    fn built_in(&mut self, events: &[EventType]) {
        let modifiers = modifiers(events);
        for built_in in builtin::ALL {
            let mut variants = modifiers.iter().filter_map(|modifier| self.variant(built_in, modifier));
            if let Some(expression) = variants.next().filter(|_| !self.is_defined(built_in.name)) {
                let title = Some(built_in.title.to_owned());
                self.add(built_in.name.to_owned(), title, expression, Origin::BuiltIn);
            }
        }
    }

    /// The formula with a modifier at the names of all events, if the profile has those.
    fn variant(&self, built_in: &builtin::BuiltIn, modifier: &str) -> Option<Expression> {
        let mut expression = Expression::parse(built_in.formula, 0, &self.names).ok()?;
        for step in &mut expression.steps {
            if let Operation::Name(name) = &mut step.operation {
                name.push_str(modifier);
            }
        }
        if !modifier.is_empty() {
            expression.text = quoted(&expression.text, modifier);
        }
        expression.names().all(|name| self.is_defined(name)).then_some(expression)
    }

    fn is_defined(&self, name: &str) -> bool {
        self.own.contains_key(name) || self.by_name.contains_key(name)
    }

    fn resolve(mut self) -> Result<Derived, EventError> {
        let mut order = Order::new(self.definitions.len());
        for start in 0..self.definitions.len() {
            order.visit(start, &self.definitions, &self.by_name);
        }
        for index in std::mem::take(&mut order.sorted) {
            let definition = &self.definitions[index];
            let circle = order.circles[index].take();
            match circle.map_or_else(|| compile(&definition.expression, &self), Err) {
                Ok(compiled) => {
                    let formula = written(definition);
                    let column = Column::derived(&definition.name, definition.title.clone(), formula, compiled);
                    self.derived.insert(column.name.clone(), column);
                }
                Err(error) if definition.origin == Origin::User => return Err(error),
                Err(error) if definition.origin == Origin::File => {
                    self.problems.push(left_out(&definition.name, &error));
                }
                Err(_) => {}
            }
        }
        self.definitions.sort_by_key(|definition| definition.origin);
        let columns = self.definitions.iter().filter_map(|definition| self.derived.remove(&definition.name));
        Ok(Derived { columns: columns.collect(), problems: self.problems })
    }
}
