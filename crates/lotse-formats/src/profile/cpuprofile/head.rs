//! The old form of the call tree: nodes nested as deep as the program recursed. They are therefore read without
//! recursion.

use super::recording::V8Node;
use crate::json::{Cursor, Fill as _, Number, fill_first};
use crate::reading::Diagnostic;

/// Appends the node at the cursor and all below it. Nodes before an error are kept.
pub(super) fn read(cursor: &mut Cursor<'_>, nodes: &mut Vec<V8Node>) -> Result<(), Diagnostic> {
    let first = nodes.len();
    let read = read_nodes(cursor, nodes);
    // V8 itself counts lines and columns from 1, with line 0 for the root; the inspector counts from 0, with line -1.
    if nodes.get(first).is_some_and(|root| root.line == Number::Whole(0)) {
        for node in &mut nodes[first..] {
            (node.line, node.column) = (from_zero(node.line), from_zero(node.column));
        }
    }
    read
}

fn from_zero(line: Number) -> Number {
    match line {
        Number::Whole(line) => Number::Whole(line.saturating_sub(1)),
        other => other,
    }
}

/// Reads nodes in document order, with a stack of those that are not closed yet.
fn read_nodes(cursor: &mut Cursor<'_>, nodes: &mut Vec<V8Node>) -> Result<(), Diagnostic> {
    // Positions in `nodes` of the nodes that are not closed yet.
    let mut open: Vec<usize> = Vec::new();
    begin(cursor, nodes, &mut open)?;
    while let Some(&node) = open.last() {
        if cursor.eat(b'}') {
            open.pop();
            leave(cursor, &mut open, nodes)?;
            continue;
        }
        let key: String = cursor.value()?;
        cursor.expect(b':')?;
        if key == "children" && cursor.eat(b'[') {
            if !cursor.eat(b']') {
                begin(cursor, nodes, &mut open)?;
                continue;
            }
        } else {
            scalar(cursor, &key, &mut nodes[node])?;
        }
        separate(cursor)?;
    }
    Ok(())
}

/// Continues after a node: with its next sibling, or with the rest of its parent.
fn leave(cursor: &mut Cursor<'_>, open: &mut Vec<usize>, nodes: &mut Vec<V8Node>) -> Result<(), Diagnostic> {
    if open.is_empty() {
        return Ok(());
    }
    if cursor.eat(b',') {
        return begin(cursor, nodes, open);
    }
    cursor.expect(b']')?;
    separate(cursor)
}

fn begin(cursor: &mut Cursor<'_>, nodes: &mut Vec<V8Node>, open: &mut Vec<usize>) -> Result<(), Diagnostic> {
    cursor.expect(b'{')?;
    let enclosing = open.last().copied();
    open.push(nodes.len());
    nodes.push(V8Node { enclosing, ..V8Node::default() });
    Ok(())
}

fn scalar(cursor: &mut Cursor<'_>, key: &str, node: &mut V8Node) -> Result<(), Diagnostic> {
    let value = cursor.raw()?;
    match node.field(key) {
        Some(place) => fill_first(value, place),
        None => Ok(()),
    }
}

fn separate(cursor: &mut Cursor<'_>) -> Result<(), Diagnostic> {
    if cursor.eat(b',') || cursor.peek() == Some(b'}') { Ok(()) } else { cursor.expect(b',') }
}
