//! Parses expressions to steps for a stack machine (postfix order).
//!
//! ```text
//! Ir + 10 L1m    ->    Ir, 10, L1m, multiply, add
//! ```
//!
//! Steps instead of a tree keep a chain of a thousand sums flat. Only nested expressions are parsed by recursion, and
//! nesting is limited.

use std::ops::Range;

use super::boundary::boundary;
use super::error::{EventError, ExpressionSpan, short};
use super::names::Names;
use super::token::{BuiltInFunction, Lexer, Token};
use super::value::ExpressionValue;

const DEEPEST: usize = 64;
const LONGEST: usize = 4096;

/// A parsed expression.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    /// The text it was parsed from, including a name and `=` before it.
    pub(super) text: String,
    /// Where the expression starts in the text.
    from: usize,
    /// Operations on a stack of values.
    pub(super) steps: Vec<Step>,
}

/// An operation, and the part of the text that it computes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) span: Range<usize>,
}

/// An operation of the stack machine.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operation {
    Number(ExpressionValue),
    Name(String),
    Negate,
    Binary(Operator),
    Total,
    Percent,
    PerCall,
}

/// A binary operator.
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
    /// Parses a text from a byte on; the text before it is a name and `=`.
    pub(super) fn parse(text: &str, from: usize, names: &Names) -> Result<Self, EventError> {
        if text.len() > LONGEST {
            let at = ExpressionSpan { text: text[..boundary(text, 80)].to_owned(), span: 0..0 };
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

    /// The text of the expression, without the name.
    pub(super) fn written(&self) -> String {
        self.text[self.from..].trim().to_owned()
    }

    /// The text of the expression, with a suffix appended to all names.
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
    /// Where the last token ended.
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
            self.push_step(
                start,
                Operation::Binary(if sign == '+' { Operator::Add } else { Operator::Subtract }),
            );
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), EventError> {
        let start = self.span.start;
        self.factor()?;
        while let Token::Sign(sign @ ('*' | '/')) = self.token {
            self.advance()?;
            self.factor()?;
            self.push_step(
                start,
                Operation::Binary(if sign == '*' { Operator::Multiply } else { Operator::Divide }),
            );
        }
        Ok(())
    }

    /// Parses a factor with its signs. `10 L1m` and `2 (a + b)` are products that bind tighter than `/`.
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
            self.push_step(start, Operation::Binary(Operator::Multiply));
        }
        for start in minuses.into_iter().rev() {
            self.push_step(start, Operation::Negate);
        }
        Ok(())
    }

    /// Parses a number, name, call or parenthesis. Returns whether a factor may follow without `*`.
    fn primary(&mut self) -> Result<bool, EventError> {
        let start = self.span.start;
        match self.token.clone() {
            Token::Number(value) => {
                self.advance()?;
                self.push_step(start, Operation::Number(value));
                Ok(true)
            }
            Token::Name(name) => {
                self.advance()?;
                if self.token == Token::Sign('(') {
                    let problem = format!(
                        "{:?} is not a function; min, max, total, percent and per_call are",
                        short(&name)
                    );
                    return Err(self.lexer.error(start..self.end, problem));
                }
                self.push_step(start, Operation::Name(name));
                Ok(false)
            }
            Token::Function(function) => self.call(function).map(|()| false),
            Token::Sign('(') => {
                self.advance()?;
                self.nested_sum()?;
                self.close("an operator or ')'")?;
                Ok(true)
            }
            Token::Sign(_) | Token::End => Err(self.expected("a number, a name or '('")),
        }
    }

    fn call(&mut self, function: BuiltInFunction) -> Result<(), EventError> {
        let start = self.span.start;
        self.advance()?;
        self.advance()?;
        self.nested_sum()?;
        let operation = match function {
            BuiltInFunction::Min => return self.further_arguments(start, Operator::Min),
            BuiltInFunction::Max => return self.further_arguments(start, Operator::Max),
            BuiltInFunction::Total => Operation::Total,
            BuiltInFunction::Percent => Operation::Percent,
            BuiltInFunction::PerCall => Operation::PerCall,
        };
        self.close("an operator or ')'")?;
        self.push_step(start, operation);
        Ok(())
    }

    /// Parses the further arguments of `min` and `max`.
    fn further_arguments(&mut self, start: usize, operator: Operator) -> Result<(), EventError> {
        while self.token == Token::Sign(',') {
            self.advance()?;
            self.nested_sum()?;
            self.push_step(start, Operation::Binary(operator));
        }
        self.close("an operator, ',' or ')'")
    }

    fn nested_sum(&mut self) -> Result<(), EventError> {
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

    fn push_step(&mut self, start: usize, operation: Operation) {
        self.steps.push(Step { operation, span: start..self.end });
    }

    fn expected(&self, what: &str) -> EventError {
        self.lexer.error(self.span.clone(), format!("expected {what}"))
    }
}
