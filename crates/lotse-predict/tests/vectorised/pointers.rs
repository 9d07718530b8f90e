//! Pointers that may or may not overlap.

use crate::Vectorised;

pub(crate) const LOOPS: &[Vectorised] = &[
    Vectorised {
        name: "pointers that may overlap",
        source: r"
            void f(int n, double *a, const double *b) {
                for (int i = 0; i < n; i++)
                    a[i] = 2 * b[i];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "pointers that do not",
        source: r"
            void f(int n, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i] = 2 * b[i];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "three pointers",
        source: r"
            void f(int n, float *a, const float *b, const float *c) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i] * c[i];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "a pointer in place",
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] *= 3;
            }",
        at: [false, true],
    },
    Vectorised {
        name: "different types",
        source: r"
            void f(int n, double *a, const float *b) {
                for (int i = 0; i < n; i++)
                    a[i] += 1;
            }",
        at: [false, true],
    },
    Vectorised {
        name: "a stride as a parameter",
        source: r"
            void f(int n, int s, double *restrict a, const double *restrict b) {
                for (int i = 0; i < n; i++)
                    a[i * s] = b[i * s];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "a gather",
        source: r"
            void f(int n, const int *restrict p, const double *restrict a, double *restrict b) {
                for (int i = 0; i < n; i++)
                    b[i] = a[p[i]];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "a histogram",
        source: r"
            void f(int n, const unsigned char *restrict a, unsigned *restrict h) {
                for (int i = 0; i < n; i++)
                    h[a[i]]++;
            }",
        at: [false, false],
    },
    Vectorised {
        name: "a copy that may overlap",
        source: r"
            void f(int n, double *a, const double *b) {
                for (int i = 0; i < n; i++)
                    a[i] = b[i];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "zeroes",
        source: r"
            void f(int n, double *a) {
                for (int i = 0; i < n; i++)
                    a[i] = 0;
            }",
        at: [false, false],
    },
    Vectorised {
        name: "four at a time",
        source: r"
            void f(double *restrict a, const double *restrict b) {
                for (int i = 0; i < 1024; i++)
                    a[i] = b[i] + 1;
            }",
        at: [true, true],
    },
];
