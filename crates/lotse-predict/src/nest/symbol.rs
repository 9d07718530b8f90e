//! Named integers: parameters, whose values the user gives, and loop variables.

/// An integer with a name; the name is in the table [`Symbols`] of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// This symbol and all after it; they need not be in any table.
    pub(crate) fn and_following(self) -> impl Iterator<Item = Self> {
        (self.0..).map(Self)
    }
}

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// Constant during a call of the function: a size, a macro, an argument.
    Parameter,
    /// The variable of one loop. Two loops never share a symbol, even if they use the same variable in the source.
    LoopVariable,
}

/// The symbols of one function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Symbols {
    entries: Vec<(String, SymbolKind)>,
}

impl Symbols {
    /// Adds a new symbol, different from all others even if the name is already in use.
    pub fn add(&mut self, name: &str, kind: SymbolKind) -> Symbol {
        let id = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push((name.to_owned(), kind));
        Symbol(id)
    }

    /// The parameter of this name, added if it is new.
    pub fn parameter(&mut self, name: &str) -> Symbol {
        self.find_parameter(name).unwrap_or_else(|| self.add(name, SymbolKind::Parameter))
    }

    /// The parameter of this name.
    pub fn find_parameter(&self, name: &str) -> Option<Symbol> {
        self.parameters().find(|symbol| self.name(*symbol) == name)
    }

    /// All parameters.
    pub fn parameters(&self) -> impl Iterator<Item = Symbol> {
        let entries = self.entries.iter().zip(0..);
        entries.filter(|((_, kind), _)| *kind == SymbolKind::Parameter).map(|(_, id)| Symbol(id))
    }

    /// The name of a symbol in the source.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.entries.get(symbol.0 as usize).map_or("?", |(name, _)| name)
    }

    /// The kind of a symbol. Symbols that are not in the table count as loop variables.
    pub fn kind(&self, symbol: Symbol) -> SymbolKind {
        self.entries.get(symbol.0 as usize).map_or(SymbolKind::LoopVariable, |(_, kind)| *kind)
    }

    /// The first symbol that is not in the table; analyses number their own auxiliary symbols from here on.
    pub(crate) fn first_free(&self) -> Symbol {
        Symbol(u32::try_from(self.entries.len()).unwrap_or(u32::MAX))
    }
}

impl Symbol {
    pub(crate) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}
