//! The colours of plots, each for light and for dark pages.
//!
//! The series colours are those of Okabe and Ito, which are distinct with all common kinds of colour blindness; those for
//! dark pages have the same hues, but are lighter. The light colours are attributes of the elements, for viewers without
//! style sheets; a style sheet replaces them on dark pages.

/// A colour by its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    Paper,
    Ink,
    Soft,
    Grid,
    Band,
    Good,
    Bad,
    /// The colour of a series; colours repeat after the sixth.
    Series(usize),
}

struct Shade {
    class: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn shade(class: &'static str, light: &'static str, dark: &'static str) -> Shade {
    Shade { class, light, dark }
}

const ROLES: [Shade; 7] = [
    shade("paper", "#ffffff", "#16191c"),
    shade("ink", "#1c2024", "#e4e7ea"),
    shade("soft", "#5f6870", "#9aa4ad"),
    shade("grid", "#e1e4e7", "#30363c"),
    shade("band", "#e8eef4", "#26303a"),
    shade("good", "#00806a", "#3fcfa6"),
    shade("bad", "#c24e00", "#ff8f4a"),
];

const SERIES: [Shade; 6] = [
    shade("s0", "#0072b2", "#56b0e8"),
    shade("s1", "#d55e00", "#ff8f4a"),
    shade("s2", "#009e73", "#35cfa2"),
    shade("s3", "#b75f93", "#e3a0c5"),
    shade("s4", "#c98a00", "#f2b632"),
    shade("s5", "#2b95d0", "#a3d9f7"),
];

impl Colour {
    fn shade(self) -> &'static Shade {
        match self {
            Self::Paper => &ROLES[0],
            Self::Ink => &ROLES[1],
            Self::Soft => &ROLES[2],
            Self::Grid => &ROLES[3],
            Self::Band => &ROLES[4],
            Self::Good => &ROLES[5],
            Self::Bad => &ROLES[6],
            Self::Series(i) => &SERIES[i % SERIES.len()],
        }
    }

    /// The attributes that make it the current colour of a group.
    pub(super) fn attributes(self) -> String {
        let shade = self.shade();
        format!("class=\"{}\" color=\"{}\"", shade.class, shade.light)
    }
}

/// The dash pattern of a series: solid for the first six series, dashed where colours repeat.
pub(super) fn dashes(series: usize) -> &'static str {
    ["", "6 3", "2 2", "8 3 2 3"][series / SERIES.len() % 4]
}

/// The style sheet of every picture.
pub(super) fn style_sheet() -> String {
    let rule = |shade: &Shade| format!(".lotse-plot .{}{{color:{}}}", shade.class, shade.dark);
    let dark: String = ROLES.iter().chain(&SERIES).map(rule).collect();
    format!("@media (prefers-color-scheme:dark){{{dark}}}")
}
