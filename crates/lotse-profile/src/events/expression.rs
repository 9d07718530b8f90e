//! Expressions, read into steps in the order of their evaluation.
//!
//! Steps instead of a tree: a chain of a thousand sums is as deep as one. Only what is nested is read by
//! recursion, and nesting is limited.

use std::ops::Range;

use super::boundary::boundary;
use super::error::{EventError, Place, short};
use super::names::Names;
use super::token::{Function, Lexer, Token};
use super::value::Value;

const DEEPEST: usize = 64;
const LONGEST: usize = 4096;

/// An expression.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    /// What it was read from.
    pub(super) text: String,
    from: usize,
    /// What to do, one after the other, on a stack of values.
    pub(super) steps: Vec<Step>,
}

/// A step, and what part of the text it works out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) span: Range<usize>,
}

/// What is done to the stack.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operation {
    Number(Value),
    Name(String),
    Negate,
    Binary(Operator),
    Total,
    Percent,
    PerCall,
}

/// What is made of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
}

impl Expression {
    /// Reads a text from a byte on; the text before it is a name and `=`.
    pub(super) fn parse(text: &str, from: usize, names: &Names) -> Result<Self, EventError> {
        if text.len() > LONGEST {
            let at = Place { text: text[..boundary(text, 80)].to_owned(), span: 0..0 };
            let problem = format!("{} characters are too many, {LONGEST} are allowed", text.len());
            return Err(EventError::Syntax { at, problem });
        }
        let mut parser = Parser::new(text, from, names)?;
        parser.sum()?;
        match parser.token {
            Token::End => Ok(Self { text: text.to_owned(), from, steps: parser.steps }),
            _ => Err(parser.expected("an operator or the end")),
        }
    }

    /// As it was written, without the name.
    pub(super) fn written(&self) -> String {
        self.text[self.from..].trim().to_owned()
    }

    /// As it was written, with something appended to all names.
    pub(super) fn with_suffix(&self, suffix: &str) -> String {
        let mut text = String::new();
        let mut end = 0;
        for step in &self.steps {
            if let Operation::Name(name) = &step.operation {
                text.extend([&self.text[end..step.span.start], "`", name, suffix, "`"]);
                end = step.span.end;
            }
        }
        text + &self.text[end..]
    }

    /// The names it uses.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.operation {
            Operation::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    span: Range<usize>,
    /// Where the last word ended.
    end: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, from: usize, names: &'a Names) -> Result<Self, EventError> {
        let mut lexer = Lexer::new(text, from, names);
        let (token, span) = lexer.next()?;
        Ok(Self { lexer, token, span, end: from, depth: 0, steps: Vec::new() })
    }

    fn sum(&mut self) -> Result<(), EventError> {
        let start = self.span.start;
        self.product()?;
        while let Token::Sign(sign @ ('+' | '-')) = self.token {
            self.advance()?;
            self.product()?;
            self.step(start, Operation::Binary(if sign == '+' { Operator::Add } else { Operator::Subtract }));
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), EventError> {
        let start = self.span.start;
        self.factor()?;
        while let Token::Sign(sign @ ('*' | '/')) = self.token {
            self.advance()?;
            self.factor()?;
            self.step(
                start,
                Operation::Binary(if sign == '*' { Operator::Multiply } else { Operator::Divide }),
            );
        }
        Ok(())
    }

    /// With `10 L1m` and `2 (a + b)`, which bind closer than `/`.
    fn factor(&mut self) -> Result<(), EventError> {
        let mut minuses = Vec::new();
        while self.token == Token::Sign('-') {
            minuses.push(self.span.start);
            self.advance()?;
        }
        let start = self.span.start;
        let mut multiplies = self.primary()?;
        while multiplies && matches!(self.token, Token::Name(_) | Token::Function(_) | Token::Sign('(')) {
            multiplies = self.primary()?;
            self.step(start, Operation::Binary(Operator::Multiply));
        }
        for start in minuses.into_iter().rev() {
            self.step(start, Operation::Negate);
        }
        Ok(())
    }

    /// Tells whether what follows may be multiplied without a sign.
    fn primary(&mut self) -> Result<bool, EventError> {
        let start = self.span.start;
        match self.token.clone() {
            Token::Number(value) => {
                self.advance()?;
                self.step(start, Operation::Number(value));
                Ok(true)
            }
            Token::Name(name) => {
                self.advance()?;
                if self.token == Token::Sign('(') {
                    let problem = format!(
                        "{:?} is no function; min, max, total, percent and per_call are",
                        short(&name)
                    );
                    return Err(self.lexer.error(start..self.end, problem));
                }
                self.step(start, Operation::Name(name));
                Ok(false)
            }
            Token::Function(function) => self.call(function).map(|()| false),
            Token::Sign('(') => {
                self.advance()?;
                self.nested()?;
                self.close("an operator or ')'")?;
                Ok(true)
            }
            Token::Sign(_) | Token::End => Err(self.expected("a number, a name or '('")),
        }
    }

    fn call(&mut self, function: Function) -> Result<(), EventError> {
        let start = self.span.start;
        self.advance()?;
        self.advance()?;
        self.nested()?;
        let operation = match function {
            Function::Min => return self.more(start, Operator::Min),
            Function::Max => return self.more(start, Operator::Max),
            Function::Total => Operation::Total,
            Function::Percent => Operation::Percent,
            Function::PerCall => Operation::PerCall,
        };
        self.close("an operator or ')'")?;
        self.step(start, operation);
        Ok(())
    }

    fn more(&mut self, start: usize, operator: Operator) -> Result<(), EventError> {
        while self.token == Token::Sign(',') {
            self.advance()?;
            self.nested()?;
            self.step(start, Operation::Binary(operator));
        }
        self.close("an operator, ',' or ')'")
    }

    fn nested(&mut self) -> Result<(), EventError> {
        if self.depth == DEEPEST {
            let problem = format!("nested more than {DEEPEST} deep");
            return Err(self.lexer.error(self.span.clone(), problem));
        }
        self.depth += 1;
        self.sum()?;
        self.depth -= 1;
        Ok(())
    }

    fn close(&mut self, expected: &str) -> Result<(), EventError> {
        if self.token == Token::Sign(')') { self.advance() } else { Err(self.expected(expected)) }
    }

    fn advance(&mut self) -> Result<(), EventError> {
        self.end = self.span.end;
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn step(&mut self, start: usize, operation: Operation) {
        self.steps.push(Step { operation, span: start..self.end });
    }

    fn expected(&self, what: &str) -> EventError {
        self.lexer.error(self.span.clone(), format!("expected {what}"))
    }
}
