#!/bin/sh
# Cargo calls this instead of the compiler for crates of the workspace (RUSTC_WORKSPACE_WRAPPER): they get the counters and
# the operands of comparisons by which libFuzzer finds new inputs. Crates of others are those of the tests, built before.
case " $* " in
*" --crate-name lotse"*)
    exec "$@" --cfg fuzzing -Copt-level=1 -Cpasses=sancov-module \
        -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
        -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares
    ;;
*) exec "$@" ;;
esac
