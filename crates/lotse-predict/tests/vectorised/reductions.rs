//! Sums and other reductions.

use crate::Vectorised;

pub(crate) const LOOPS: &[Vectorised] = &[
    Vectorised {
        name: "sum of doubles",
        source: r"
            #define N 1024
            double a[N], r;
            void f(void) {
                double s = 0;
                for (int i = 0; i < N; i++)
                    s += a[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "sum of floats",
        source: r"
            #define N 1024
            float a[N], r;
            void f(void) {
                float s = 0;
                for (int i = 0; i < N; i++)
                    s += a[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "sum of integers",
        source: r"
            #define N 1024
            int a[N], r;
            void f(void) {
                int s = 0;
                for (int i = 0; i < N; i++)
                    s += a[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "scalar product of doubles",
        source: r"
            #define N 1024
            double a[N], b[N], r;
            void f(void) {
                double s = 0;
                for (int i = 0; i < N; i++)
                    s += a[i] * b[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "scalar product of integers",
        source: r"
            #define N 1024
            int a[N], b[N], r;
            void f(void) {
                int s = 0;
                for (int i = 0; i < N; i++)
                    s += a[i] * b[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "product of doubles",
        source: r"
            #define N 1024
            double a[N], r;
            void f(void) {
                double s = 1;
                for (int i = 0; i < N; i++)
                    s *= a[i];
                r = s;
            }",
        at: [false, false],
    },
    Vectorised {
        name: "bits together",
        source: r"
            #define N 1024
            unsigned a[N], r;
            void f(void) {
                unsigned s = 0;
                for (int i = 0; i < N; i++)
                    s |= a[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "exclusive or",
        source: r"
            #define N 1024
            unsigned a[N], r;
            void f(void) {
                unsigned s = 0;
                for (int i = 0; i < N; i++)
                    s ^= a[i];
                r = s;
            }",
        at: [true, true],
    },
    Vectorised {
        name: "largest integer",
        source: r"
            #define N 1024
            int a[N], r;
            void f(void) {
                int s = 0;
                for (int i = 0; i < N; i++)
                    s = a[i] > s ? a[i] : s;
                r = s;
            }",
        at: [true, true],
    },
];
