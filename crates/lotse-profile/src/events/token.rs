//! Splits expressions into tokens.

use std::ops::Range;

use super::error::{EventError, ExpressionSpan};
use super::names::{Names, begins_word, continues_word};
use super::value::ExpressionValue;

/// A token of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(ExpressionValue),
    Name(String),
    /// A function's name before its parenthesis.
    Function(BuiltInFunction),
    /// One of `+ - * / ( ) ,`.
    Sign(char),
    End,
}

/// Functions that an expression may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltInFunction {
    Min,
    Max,
    Total,
    Percent,
    PerCall,
}

impl BuiltInFunction {
    const ALL: [(&str, Self); 5] = [
        ("min", Self::Min),
        ("max", Self::Max),
        ("total", Self::Total),
        ("percent", Self::Percent),
        ("per_call", Self::PerCall),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }
}

/// Yields the tokens of a text.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    names: &'a Names,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, from: usize, names: &'a Names) -> Self {
        Self { text, names, position: from }
    }

    /// The next token and its range in the text.
    pub(super) fn next(&mut self) -> Result<(Token, Range<usize>), EventError> {
        let rest = self.text[self.position..].trim_start();
        let start = self.text.len() - rest.len();
        let (token, length) = match rest.chars().next() {
            None => (Token::End, 0),
            Some(sign @ ('+' | '-' | '*' | '/' | '(' | ')' | ',')) => (Token::Sign(sign), 1),
            Some('`') => self.quoted(rest, start)?,
            Some('0'..='9' | '.') => self.number(rest, start)?,
            Some(letter) if begins_word(letter) => self.word(rest),
            Some(letter) => {
                let problem = format!("{letter:?} means nothing here; an odd name is written in backticks");
                return Err(self.error(start..start + letter.len_utf8(), problem));
            }
        };
        self.position = start + length;
        Ok((token, start..self.position))
    }

    fn quoted(&self, rest: &str, start: usize) -> Result<(Token, usize), EventError> {
        let Some(length) = rest[1..].find('`') else {
            return Err(self.error(start..self.text.len(), "the closing backtick is missing".to_owned()));
        };
        Ok((Token::Name(rest[1..=length].to_owned()), length + 2))
    }

    fn number(&self, rest: &str, start: usize) -> Result<(Token, usize), EventError> {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let length = digits + self.exponent(&rest[digits..]);
        let value = ExpressionValue::parse(&rest[..length]);
        let value = value.filter(|_| rest[..digits].bytes().any(|byte| byte.is_ascii_digit()));
        let wrong = || self.error(start..start + length, "this is not a number".to_owned());
        value.map(|value| (Token::Number(value), length)).ok_or_else(wrong)
    }

    /// The length of a power of ten such as `e6` or `e-3`; 0 if there is none, or if it is the name of an event type that
    /// the number multiplies.
    fn exponent(&self, rest: &str) -> usize {
        let Some(after) = rest.strip_prefix(['e', 'E']) else { return 0 };
        let sign = usize::from(after.starts_with(['+', '-']));
        let digits = after[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let ends = !after[sign + digits..].chars().next().is_some_and(continues_word);
        let named = self.names.longest(rest).is_some();
        if digits > 0 && ends && !named { 1 + sign + digits } else { 0 }
    }

    fn word(&self, rest: &str) -> (Token, usize) {
        let end = rest.find(|letter| !continues_word(letter)).unwrap_or(rest.len());
        let known = self.names.longest(rest).unwrap_or(0);
        match BuiltInFunction::named(&rest[..end]) {
            Some(function) if known <= end && rest[end..].trim_start().starts_with('(') => {
                (Token::Function(function), end)
            }
            _ => {
                let length = if known > 0 { known } else { end };
                (Token::Name(rest[..length].to_owned()), length)
            }
        }
    }

    pub(super) fn error(&self, span: Range<usize>, problem: String) -> EventError {
        EventError::Syntax { at: ExpressionSpan { text: self.text.to_owned(), span }, problem }
    }
}
