//! Element-wise operations on contiguous arrays.

use crate::Vectorised;

pub(crate) const LOOPS: &[Vectorised] = &[
    Vectorised {
        name: "sum of two arrays of doubles",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "sum of two arrays of floats",
        source: r"
            #define N 1024
            float a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "sum of two arrays of integers",
        source: r"
            #define N 1024
            int a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "sum of two arrays of short integers",
        source: r"
            #define N 1024
            short a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "sum of two arrays of bytes",
        source: r"
            #define N 1024
            unsigned char a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "scaled doubles",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = 3.0 * b[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "in place",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = a[i] * 0.5 + 1.0;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "a size that is no multiple",
        source: r"
            #define N 1001
            float a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + c[i];
            }",
        at: [false, true],
    },
    Vectorised {
        name: "divisions of doubles",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] / c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "differences of neighbours",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N - 2; i++)
                    a[i] = b[i + 1] - b[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "maximum of two",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] > c[i] ? b[i] : c[i];
            }",
        at: [true, true],
    },
    Vectorised {
        name: "bits",
        source: r"
            #define N 1024
            int a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = (b[i] & 255) | (c[i] << 8);
            }",
        at: [true, true],
    },
    Vectorised {
        name: "multiplied integers",
        source: r"
            #define N 1024
            int a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] * 7;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "a constant is stored",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = 1.5;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "a copy",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "every second element",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N / 2; i++)
                    a[2 * i] = b[2 * i];
            }",
        at: [false, false],
    },
    Vectorised {
        name: "backwards",
        source: r"
            #define N 1024
            double a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[N - 1 - i] = b[i];
            }",
        at: [true, true],
    },
];
