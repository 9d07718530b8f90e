//! SPDX licence expressions: `A OR B`, `A AND B`, `A WITH e`, parentheses, and the slash of old manifests for OR.
//!
//! WITH binds tighter than AND, AND tighter than OR. Operators are case-insensitive, as in SPDX since 3.0.

/// A licence expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    /// A licence, with its exception if it has one: `Apache-2.0 WITH LLVM-exception`.
    Licence(String),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

/// Why an expression cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SpdxError {
    #[error("a licence is missing {}", place(.0.as_deref()))]
    NoLicence(Option<String>),
    #[error("a closing parenthesis is missing {}", place(.0.as_deref()))]
    NotClosed(Option<String>),
    #[error("`{0}` follows where the expression should end")]
    GoesOn(String),
    #[error("the parentheses nest deeper than {MAX_DEPTH}")]
    TooDeep,
}

/// The limit for nested parentheses, which bounds the recursion.
const MAX_DEPTH: usize = 32;

fn place(before: Option<&str>) -> String {
    before.map_or_else(|| "at the end".to_owned(), |token| format!("before `{token}`"))
}

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Self, SpdxError> {
        let spaced = text.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let mut parser = Parser { tokens: spaced.split_whitespace().collect(), at: 0, depth: 0 };
        let expression = parser.alternatives()?;
        match parser.peek() {
            Some(token) => Err(SpdxError::GoesOn(token.to_owned())),
            None => Ok(expression),
        }
    }

    /// Whether the expression can be satisfied with allowed licences only.
    pub(super) fn is_met_by(&self, is_allowed: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Licence(name) => is_allowed(name),
            Self::And(left, right) => left.is_met_by(is_allowed) && right.is_met_by(is_allowed),
            Self::Or(left, right) => left.is_met_by(is_allowed) || right.is_met_by(is_allowed),
        }
    }
}

struct Parser<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn alternatives(&mut self) -> Result<Expression, SpdxError> {
        let mut left = self.conjunction()?;
        while self.take("OR") {
            left = Expression::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expression, SpdxError> {
        let mut left = self.single()?;
        while self.take("AND") {
            left = Expression::And(Box::new(left), Box::new(self.single()?));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Expression, SpdxError> {
        if self.take("(") { self.group() } else { self.licence() }
    }

    /// An expression in parentheses, after the opening one.
    fn group(&mut self) -> Result<Expression, SpdxError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SpdxError::TooDeep);
        }
        let inner = self.alternatives()?;
        self.depth -= 1;
        if self.take(")") { Ok(inner) } else { Err(SpdxError::NotClosed(self.peek().map(str::to_owned))) }
    }

    fn licence(&mut self) -> Result<Expression, SpdxError> {
        let name = self.name()?;
        if self.take("WITH") {
            return Ok(Expression::Licence(format!("{name} WITH {}", self.name()?)));
        }
        Ok(Expression::Licence(name.to_owned()))
    }

    fn name(&mut self) -> Result<&'a str, SpdxError> {
        let is_operator =
            |token: &&str| ["OR", "AND", "WITH"].iter().any(|word| token.eq_ignore_ascii_case(word));
        let token = self.peek().filter(|token| !is_operator(token) && !["(", ")"].contains(token));
        self.at += usize::from(token.is_some());
        token.ok_or_else(|| SpdxError::NoLicence(self.peek().map(str::to_owned)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Expression, SpdxError};

    /// Which of the subsets of a few licences meet the expression.
    #[track_caller]
    fn check(text: &str, enough: &[&[&str]], too_little: &[&[&str]]) {
        let expression = Expression::parse(text).unwrap();
        for allowed in enough {
            assert!(expression.is_met_by(&|name| allowed.contains(&name)), "{text} with {allowed:?}");
        }
        for allowed in too_little {
            assert!(!expression.is_met_by(&|name| allowed.contains(&name)), "{text} with {allowed:?}");
        }
    }

    #[test]
    fn single_licences_and_exceptions() {
        check("MIT", &[&["MIT"]], &[&[], &["mit"]]);
        check(
            "Apache-2.0 WITH LLVM-exception",
            &[&["Apache-2.0 WITH LLVM-exception"]],
            &[&["Apache-2.0"], &["LLVM-exception"]],
        );
    }

    #[test]
    fn operators_and_their_order() {
        check("A OR B", &[&["A"], &["B"]], &[&["C"]]);
        check("A/B", &[&["A"], &["B"]], &[&["C"]]);
        check("A AND B", &[&["A", "B"]], &[&["A"], &["B"]]);
        check("A OR B AND C", &[&["A"], &["B", "C"]], &[&["B"], &["C"]]);
        check("(A or B) and C", &[&["A", "C"], &["B", "C"]], &[&["A"], &["C"], &["A", "B"]]);
        check("A WITH e OR B", &[&["A WITH e"], &["B"]], &[&["A"]]);
        check("((A))", &[&["A"]], &[&[]]);
    }

    #[test]
    fn what_cannot_be_read() {
        let missing = |before: Option<&str>| SpdxError::NoLicence(before.map(str::to_owned));
        let cases = [
            ("", missing(None)),
            ("A OR", missing(None)),
            ("AND A", missing(Some("AND"))),
            ("A WITH OR B", missing(Some("OR"))),
            ("()", missing(Some(")"))),
            ("(A OR B", SpdxError::NotClosed(None)),
            ("(A B)", SpdxError::NotClosed(Some("B".to_owned()))),
            ("A B", SpdxError::GoesOn("B".to_owned())),
            ("A)", SpdxError::GoesOn(")".to_owned())),
        ];
        for (text, error) in cases {
            assert_eq!(Expression::parse(text), Err(error), "{text}");
        }
        assert_eq!(Expression::parse(&"(".repeat(100_000)), Err(SpdxError::TooDeep));
    }
}
