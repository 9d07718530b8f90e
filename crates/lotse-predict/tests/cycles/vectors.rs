//! Vectorised loops.

use crate::Timed;

pub(crate) const LOOPS: &[Timed] = &[
    // Half of an iteration of one cycle.
    Timed {
        name: "two doubles at once",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + 1;
            }",
        cycles: 0.5,
        limit: "front-end",
        lanes: 2.0,
    },
    // A quarter.
    Timed {
        name: "four floats at once",
        source: r"
            #define N 1024
            float a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + 1;
            }",
        cycles: 0.25,
        limit: "front-end",
        lanes: 4.0,
    },
    // A quarter.
    Timed {
        name: "four integers at once",
        source: r"
            #define N 1024
            int a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + 1;
            }",
        cycles: 0.25,
        limit: "front-end",
        lanes: 4.0,
    },
    // A copy is a call of memcpy with vectors twice as wide.
    Timed {
        name: "eight short integers at once",
        source: r"
            #define N 1024
            short a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i];
            }",
        cycles: 0.0625,
        limit: "front-end",
        lanes: 16.0,
    },
    // A division of two doubles begins every 4 cycles.
    Timed {
        name: "two divisions at once",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] / 3;
            }",
        cycles: 2.0,
        limit: "division",
        lanes: 2.0,
    },
    // gcc -O2 does not vectorise where iterations are left over.
    Timed {
        name: "a size that leaves a rest",
        source: r"
            #define N 1001
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = b[i] + 1;
            }",
        cycles: 1.0,
        limit: "front-end",
        lanes: 1.0,
    },
    // Elements that are not next to each other.
    Timed {
        name: "every second element",
        source: r"
            #define N 1024
            double a[N], b[N];
            void f(void) {
                for (int i = 0; i < N / 2; i++)
                    a[2 * i] = b[2 * i] + 1;
            }",
        cycles: 1.0,
        limit: "front-end",
        lanes: 1.0,
    },
    // Three loads, two operations, a store, count and branch: 8 instructions in groups of 5, 1.6 to 2 cycles for 4
    // iterations.
    Timed {
        name: "three loads of floats",
        source: r"
            #define N 1024
            float a[N], b[N], c[N];
            void f(void) {
                for (int i = 0; i < N; i++)
                    a[i] = a[i] + b[i] * c[i];
            }",
        cycles: 0.45,
        limit: "front-end",
        lanes: 4.0,
    },
];
