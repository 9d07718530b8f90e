//! Draws jumps as arrows beside rows of text.
//!
//! ```text
//! ┌─►  loop:     a lane is a column of vertical line; the arrow goes from the jump to its target
//! │      …
//! └──    jne loop
//! ```
//!
//! All jumps to one row share an arrow. Arrows are placed in the order of their weight; each takes the free lane nearest
//! to the text, so that an inner loop lies inside an outer one. Arrows for which no lane is left are not drawn.

/// More lanes are hard to read.
const MOST_LANES: usize = 6;

/// A jump between rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowJump {
    /// The row of the jump.
    pub from: usize,
    /// The row it goes to.
    pub to: usize,
    /// How often it is taken.
    pub weight: u64,
}

/// The drawing beside each row, all of the same width; empty if there is nothing to draw.
pub fn draw(rows: usize, jumps: &[RowJump]) -> Vec<String> {
    let arrows = arrows(rows, jumps);
    let lanes = assign_lanes(rows, &arrows);
    let count = lanes.iter().flatten().max().map_or(0, |&most| most + 1);
    if count == 0 {
        return vec![String::new(); rows];
    }
    let mut canvas = Canvas::new(rows, count);
    for (arrow, lane) in arrows.iter().zip(&lanes) {
        if let Some(lane) = lane {
            canvas.draw_arrow(arrow, *lane);
        }
    }
    (0..rows).map(|row| canvas.text(row)).collect()
}

/// An arrow and the column it is drawn in; lane 0 is nearest to the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedArrow {
    /// The row it points at.
    pub to: usize,
    /// The rows of its jumps.
    pub from: Vec<usize>,
    pub lane: usize,
}

/// The arrows for which there is a lane, for drawings other than text.
pub fn place(rows: usize, jumps: &[RowJump]) -> Vec<PlacedArrow> {
    let arrows = arrows(rows, jumps);
    let lanes = assign_lanes(rows, &arrows);
    let placed = |(arrow, lane): (Arrow, Option<usize>)| {
        Some(PlacedArrow { to: arrow.to, from: arrow.from, lane: lane? })
    };
    arrows.into_iter().zip(lanes).filter_map(placed).collect()
}

/// All jumps to the same row.
#[derive(Debug)]
struct Arrow {
    to: usize,
    from: Vec<usize>,
    weight: u64,
}

impl Arrow {
    fn first(&self) -> usize {
        self.from.iter().copied().fold(self.to, usize::min)
    }

    fn last(&self) -> usize {
        self.from.iter().copied().fold(self.to, usize::max)
    }
}

/// Merges jumps to the same row; the heaviest arrow first, then the shortest.
fn arrows(rows: usize, jumps: &[RowJump]) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut sorted: Vec<&RowJump> = jumps.iter().filter(|jump| jump.from < rows && jump.to < rows).collect();
    sorted.sort_by_key(|jump| (jump.to, jump.from));
    for jump in sorted {
        match arrows.last_mut().filter(|arrow| arrow.to == jump.to) {
            Some(arrow) => {
                arrow.from.push(jump.from);
                arrow.weight = arrow.weight.saturating_add(jump.weight);
            }
            None => arrows.push(Arrow { to: jump.to, from: vec![jump.from], weight: jump.weight }),
        }
    }
    arrows.sort_by_key(|arrow| (std::cmp::Reverse(arrow.weight), arrow.last() - arrow.first(), arrow.to));
    arrows
}

/// The lane of each arrow, nearest to the text first; `None` if all lanes are taken.
fn assign_lanes(rows: usize, arrows: &[Arrow]) -> Vec<Option<usize>> {
    let mut taken = vec![[false; MOST_LANES]; rows];
    let mut lanes = Vec::with_capacity(arrows.len());
    for arrow in arrows {
        let span = arrow.first()..arrow.last() + 1;
        let free = (0..MOST_LANES).find(|&lane| taken[span.clone()].iter().all(|row| !row[lane]));
        if let Some(lane) = free {
            taken[span].iter_mut().for_each(|row| row[lane] = true);
        }
        lanes.push(free);
    }
    lanes
}

// The neighbours that a cell is joined to, as bits.
const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// Box-drawing characters, indexed by the bits of the joined neighbours.
const SHAPES: [char; 16] = [' ', '╵', '╷', '│', '╴', '┘', '┐', '┤', '╶', '└', '┌', '├', '─', '┴', '┬', '┼'];

struct Canvas {
    /// Two cells for each lane, and one for the arrowhead.
    width: usize,
    cells: Vec<u8>,
    heads: Vec<bool>,
}

impl Canvas {
    fn new(rows: usize, lanes: usize) -> Self {
        let width = lanes * 2 + 1;
        Self { width, cells: vec![0; width * rows], heads: vec![false; rows] }
    }

    fn draw_arrow(&mut self, arrow: &Arrow, lane: usize) {
        let column = self.width - 3 - lane * 2;
        let (first, last) = (arrow.first(), arrow.last());
        for row in first..=last {
            let sides = if row > first { UP } else { 0 } | if row < last { DOWN } else { 0 };
            self.cells[row * self.width + column] |= sides;
        }
        for &row in arrow.from.iter().chain([&arrow.to]) {
            self.cells[row * self.width + column] |= RIGHT;
            self.cells[row * self.width + column + 1..(row + 1) * self.width]
                .iter_mut()
                .for_each(|cell| *cell |= LEFT | RIGHT);
        }
        self.heads[arrow.to] = true;
    }

    fn text(&self, row: usize) -> String {
        let cells = &self.cells[row * self.width..(row + 1) * self.width];
        let mut text: String = cells.iter().map(|&cell| SHAPES[usize::from(cell)]).collect();
        if self.heads[row] {
            text.pop();
            text.push('►');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{RowJump, draw};

    fn check(rows: usize, jumps: &[(usize, usize, u64)], expected: &Expect) {
        let jumps: Vec<RowJump> =
            jumps.iter().map(|&(from, to, weight)| RowJump { from, to, weight }).collect();
        let drawn = draw(rows, &jumps);
        let width = drawn[0].chars().count();
        assert!(drawn.iter().all(|row| row.chars().count() == width));
        let numbered = drawn.iter().enumerate().map(|(row, text)| format!("{text} {row}\n"));
        expected.assert_eq(&numbered.collect::<String>());
    }

    #[test]
    fn nested_loops_lie_inside_each_other() {
        check(
            6,
            &[(4, 1, 10), (3, 2, 100)],
            &expect![[r#"
                      0
                ┌───► 1
                │ ┌─► 2
                │ └── 3
                └──── 4
                      5
            "#]],
        );
    }

    #[test]
    fn jumps_to_one_row_share_an_arrow() {
        check(
            5,
            &[(0, 3, 1), (1, 3, 1), (4, 3, 1)],
            &expect![[r#"
                ┌── 0
                ├── 1
                │   2
                ├─► 3
                └── 4
            "#]],
        );
    }

    #[test]
    fn crossings_are_drawn() {
        check(
            4,
            &[(0, 2, 5), (1, 3, 9)],
            &expect![[r#"
                ┌──── 0
                │ ┌── 1
                └─┼─► 2
                  └─► 3
            "#]],
        );
    }

    #[test]
    fn a_row_that_jumps_to_itself() {
        check(
            1,
            &[(0, 0, 1)],
            &expect![[r#"
            ╶─► 0
        "#]],
        );
    }

    #[test]
    fn the_lightest_arrows_are_left_out() {
        let jumps: Vec<RowJump> =
            (0..8).map(|at| RowJump { from: at, to: 20 - at, weight: 100 - at as u64 }).collect();
        let drawn = draw(21, &jumps);
        assert_eq!(drawn[0].chars().count(), 13);
        assert_eq!(drawn.iter().filter(|row| row.ends_with('►')).count(), 6);
        assert!(drawn[20].ends_with('►') && !drawn[13].ends_with('►'));
    }

    #[test]
    fn nothing_to_draw_takes_no_room() {
        assert_eq!(draw(2, &[]), ["", ""]);
        assert_eq!(draw(2, &[RowJump { from: 0, to: 7, weight: 1 }]), ["", ""]);
    }
}
