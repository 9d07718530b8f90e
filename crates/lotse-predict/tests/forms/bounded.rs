//! Sources whose time depends on data, with line and reason.

use lotse_predict::question::Language;

use crate::Limited;

pub(crate) const FORMS: &[Limited] = &[
    Limited {
        name: "break",
        language: Language::C,
        source: r"
            void f(int n, const double *a, double *b) {
                for (int i = 0; i < n; i++) {
                    if (a[i] < 0)
                        break;
                    b[i] = a[i];
                }
            }",
        line: 5,
        reason: "break may leave the loop early",
    },
    Limited {
        name: "return",
        language: Language::C,
        source: r"
            int f(int n, const int *a) {
                for (int i = 0; i < n; i++)
                    if (a[i] == 7)
                        return i;
                return -1;
            }",
        line: 5,
        reason: "return may leave the loop early",
    },
    Limited {
        name: "return from two loops",
        language: Language::C,
        source: r"
            int f(int n, const int *a) {
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        if (a[i * n + j] == 7)
                            return i;
                return -1;
            }",
        line: 6,
        reason: "return may leave the loop early",
    },
    Limited {
        name: "a condition on data",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++)
                    if (a[i] > 0)
                        b[i] = 1 / a[i];
            }",
        line: 4,
        reason: "a condition decides",
    },
    Limited {
        name: "the rest is skipped as data say",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++) {
                    if (a[i] > 0)
                        continue;
                    b[i] = 1 / a[i];
                }
            }",
        line: 4,
        reason: "a condition decides",
    },
    Limited {
        name: "a loop in a condition on data",
        language: Language::C,
        source: r"
            void f(int n, const int *restrict flag, double *restrict b) {
                if (flag[0])
                    for (int i = 0; i < n; i++)
                        b[i] = 0;
            }",
        line: 3,
        reason: "a condition decides",
    },
    Limited {
        name: "a gather",
        language: Language::C,
        source: r"
            void f(int n, const int *restrict p, const double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++)
                    b[i] = a[p[i]];
            }",
        line: 4,
        reason: "p[i] is data in memory",
    },
    Limited {
        name: "a scatter",
        language: Language::C,
        source: r"
            void f(int n, const int *restrict p, const double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++)
                    b[p[i]] = a[i];
            }",
        line: 4,
        reason: "p[i] is data in memory",
    },
    Limited {
        name: "a histogram",
        language: Language::C,
        source: r"
            void f(int n, const unsigned char *restrict a, unsigned *restrict h) {
                for (int i = 0; i < n; i++)
                    h[a[i]]++;
            }",
        line: 4,
        reason: "at most 1024 bytes of it can be selected",
    },
    Limited {
        name: "packing",
        language: Language::C,
        source: r"
            void f(int n, const double *restrict a, double *restrict b) {
                int k = 0;
                for (int i = 0; i < n; i++)
                    if (a[i] > 0)
                        b[k++] = a[i];
            }",
        line: 5,
        reason: "a condition decides",
    },
    Limited {
        name: "an index that grows by data",
        language: Language::C,
        source: r"
            void f(int n, const int *restrict d, double *restrict b) {
                int k = 0;
                for (int i = 0; i < n; i++) {
                    b[k] = 1;
                    k += d[i];
                }
            }",
        line: 5,
        reason: "k changes in the loop",
    },
    Limited {
        name: "break",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], b: &mut [f64]) {
                for i in 0..a.len() {
                    if a[i] < 0.0 {
                        break;
                    }
                    b[i] = a[i];
                }
            }",
        line: 5,
        reason: "break may leave the loop early",
    },
    Limited {
        name: "return",
        language: Language::Rust,
        source: r"
            fn f(a: &[u32]) -> usize {
                for i in 0..a.len() {
                    if a[i] == 7 {
                        return i;
                    }
                }
                0
            }",
        line: 5,
        reason: "return may leave the loop early",
    },
    Limited {
        name: "a condition on data",
        language: Language::Rust,
        source: r"
            fn f(a: &[f64], b: &mut [f64]) {
                for i in 0..a.len() {
                    if a[i] > 0.0 {
                        b[i] = 1.0 / a[i];
                    }
                }
            }",
        line: 4,
        reason: "a condition decides",
    },
    Limited {
        name: "a gather",
        language: Language::Rust,
        source: r"
            fn f(x: &[u32], table: &[f64], b: &mut [f64]) {
                for i in 0..b.len() {
                    b[i] = table[x[i] as usize];
                }
            }",
        line: 4,
        reason: "an element is data in memory), and the size of table is not known",
    },
    Limited {
        name: "a histogram",
        language: Language::Rust,
        source: r"
            fn f(a: &[u8], h: &mut [u32; 256]) {
                for x in a {
                    h[*x as usize] += 1;
                }
            }",
        line: 4,
        reason: "at most 1024 bytes of it can be selected",
    },
];
