//! Sources with a refused part, with line and reason.

use lotse_predict::question::Language;

use crate::Limited;

pub(crate) const FORMS: &[Limited] = &[
    Limited {
        name: "a condition of data",
        language: Language::C,
        source: r"
            void f(double *a) {
                while (a[0] > 0)
                    a[0] -= 1;
            }",
        line: 3,
        reason: "the loop ends on a condition of data",
    },
    Limited {
        name: "multiplying",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 1; i < n; i *= 2)
                    a[i] = 0;
            }",
        line: 3,
        reason: "i *= 2 does not count",
    },
    Limited {
        name: "the variable is changed",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++) {
                    a[i] = 0;
                    i += 1;
                }
            }",
        line: 3,
        reason: "the loop changes i in its body",
    },
    Limited {
        name: "the bound is changed",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++) {
                    a[i] = 0;
                    n--;
                }
            }",
        line: 3,
        reason: "the loop changes its bound n",
    },
    Limited {
        name: "a bound that is no bound",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i * i < n; i++)
                    a[i] = 0;
            }",
        line: 3,
        reason: "i * i < n does not limit i",
    },
    Limited {
        name: "do",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                do {
                    a[n] = 0;
                    n--;
                } while (n > 0);
            }",
        line: 3,
        reason: "a do-while loop has no count that is known before it",
    },
    Limited {
        name: "without end",
        language: Language::C,
        source: r"
            void f(double *a) {
                for (;;)
                    a[0] = 1;
            }",
        line: 3,
        reason: "the loop has no condition",
    },
    Limited {
        name: "no step",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n;)
                    a[i] = 0;
            }",
        line: 3,
        reason: "the loop has no step",
    },
    Limited {
        name: "an unknown function",
        language: Language::C,
        source: r"
            void g(double *, int);
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    g(a, i);
            }",
        line: 5,
        reason: "the function g() is not analysed",
    },
    Limited {
        name: "switch",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                switch (n) {
                case 1:
                    a[0] = 1;
                }
            }",
        line: 3,
        reason: "switch is not analysed",
    },
    Limited {
        name: "goto",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                if (n > 3)
                    goto end;
                a[0] = 1;
            end:
                a[1] = 1;
            }",
        line: 4,
        reason: "goto is not analysed",
    },
    Limited {
        name: "a list",
        language: Language::C,
        source: r"
            struct node { struct node *next; double x; };
            void f(struct node *p) {
                for (; p; p = p->next)
                    p->x = 0;
            }",
        line: 4,
        reason: "p = p->next does not count",
    },
    Limited {
        name: "a bound in memory that changes",
        language: Language::C,
        source: r"
            void f(int *n, double *a) {
                for (int i = 0; i < n[0]; i++)
                    a[i] = 0;
            }",
        line: 3,
        reason: "n[0] is data in memory",
    },
    Limited {
        name: "a step of zero",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i += 0)
                    a[i] = 0;
            }",
        line: 3,
        reason: "i never changes",
    },
    Limited {
        name: "the wrong direction",
        language: Language::C,
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i > n; i++)
                    a[i] = 0;
            }",
        line: 3,
        reason: "i > n does not limit i",
    },
    Limited {
        name: "loop",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64]) {
                let mut i = 0;
                loop {
                    a[i] = 0.0;
                    i += 1;
                    if i == 5 {
                        break;
                    }
                }
            }",
        line: 4,
        reason: "the loop ends on a condition of data",
    },
    Limited {
        name: "while let",
        language: Language::Rust,
        source: r"
            fn f(a: &mut Vec<f64>) {
                while let Some(x) = a.pop() {
                    drop(x);
                }
            }",
        line: 3,
        reason: "the loop ends on a condition of data",
    },
    Limited {
        name: "an unknown iterator",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], s: &mut [f64]) {
                for x in a.iter().filter(|x| **x > 0.0) {
                    s[0] += x;
                }
            }",
        line: 3,
        reason: "the iterator filter() is not analysed",
    },
    Limited {
        name: "a range without end",
        language: Language::Rust,
        source: r"
            fn f(a: &mut [f64]) {
                for i in 0.. {
                    a[i] = 0.0;
                }
            }",
        line: 3,
        reason: "the range has no end",
    },
    Limited {
        name: "match",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                match n {
                    0 => {}
                    _ => a[0] = 1.0,
                }
            }",
        line: 3,
        reason: "match is not analysed",
    },
    Limited {
        name: "a macro",
        language: Language::Rust,
        source: r#"
            fn f(n: usize, a: &mut [f64]) {
                for i in 0..n {
                    println!("{}", a[i]);
                }
            }"#,
        line: 4,
        reason: "the macro println! is not analysed",
    },
    Limited {
        name: "an unknown function",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for i in 0..n {
                    a[i] = g(i);
                }
            }",
        line: 4,
        reason: "the function g() is not analysed",
    },
    Limited {
        name: "an unknown container",
        language: Language::Rust,
        source: r"
            fn f(a: &std::collections::HashMap<u32, f64>, s: &mut [f64]) {
                for x in a {
                    s[0] += 1.0;
                }
            }",
        line: 3,
        reason: "what the loop runs over is not known",
    },
    Limited {
        name: "a block in an expression",
        language: Language::Rust,
        source: r"
            fn f(n: usize, a: &mut [f64]) {
                for i in 0..n {
                    a[i] = if i > 3 { 1.0 } else { 2.0 };
                }
            }",
        line: 4,
        reason: "a block inside of an expression is not analysed",
    },
    Limited {
        name: "a count that a refused loop leaves",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], b: &mut [f64]) {
                let mut k = 0;
                for x in a.iter().filter(|x| **x > 0.0) {
                    k += 1;
                }
                for i in 0..k {
                    b[i] = 0.0;
                }
            }",
        line: 4,
        reason: "the iterator filter() is not analysed",
    },
];
