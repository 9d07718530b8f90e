//! `lotse predict --compile` and `--object`: what the compiler made takes the place of assumptions.

use serde_json::{Value, json};

use crate::predict_options::{ask, json_of, session};
use crate::predict_schemas::check;

const AXPY: &str = "\
void axpy(int n, double a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
";

#[test]
fn compiled_loops_take_the_place_of_assumptions() {
    let session = session();
    session.write("axpy.c", AXPY);
    let words = ["axpy.c", "-D", "n=1000", "--function", "axpy"];
    let compiled = |command: &str| json_of(&session, &[&words[..], &["--compile", command]].concat());
    let (plain, fast) = (compiled("gcc -O1"), compiled("gcc -O3 -mavx2"));
    assert_eq!((&fast["assumes"], &fast["compiled"]), (&json!("gcc -O3 -mavx2"), &json!(true)));
    assert!(fast["loops"][0]["why"].as_str().unwrap().contains("vectors of 32 bytes"), "{fast}");
    assert!(plain["seconds"].as_f64().unwrap() > 2.0 * fast["seconds"].as_f64().unwrap(), "{plain} {fast}");
    let assumed = json_of(&session, &words);
    assert_eq!((&assumed["assumes"], &assumed["compiled"]), (&json!("gcc -O2"), &json!(false)));
    for answer in [&plain, &fast] {
        let schema = include_str!("../../../../docs/schema/lotse.predict-1.json");
        let schema: Value = serde_json::from_str(schema).unwrap();
        check(answer, &schema, &schema, "$");
    }
}

/// What the compiler command defines (-D) is also defined for the source that is analysed.
#[test]
fn options_of_the_compiler_are_those_of_the_preprocessor() {
    let session = session();
    session.write(
        "fill.c",
        "void fill(double *a) {\n#ifdef TWICE\n#define LENGTH (2 * N)\n#else\n#define LENGTH N\n#endif\n    for (int i = 0; i < LENGTH; i++)\n        a[i] = a[i] / 3 + i;\n}\n",
    );
    let iterations = |command: &str| {
        let answer = json_of(&session, &["fill.c", "--function", "fill", "--compile", command]);
        answer["loops"][0]["iterations"].as_f64()
    };
    assert_eq!(iterations("gcc -O2 -DN=500"), Some(500.0));
    assert_eq!(iterations("gcc -O2 -D N=500 -DTWICE"), Some(1000.0));
}

#[test]
fn an_object_file_is_as_good_as_a_compiler() {
    let session = session();
    session.write("axpy.c", AXPY).write("empty.c", "int x;\n");
    let gcc = |words: &[&str]| {
        let status = std::process::Command::new("gcc").args(words).current_dir(session.file("")).status();
        assert!(status.unwrap().success());
    };
    gcc(&["-O2", "-g", "-c", "axpy.c", "-o", "axpy.o"]);
    gcc(&["-O2", "-c", "axpy.c", "-o", "bare.o"]);
    let words = ["axpy.c", "-D", "n=1000", "--function", "axpy"];
    let answer = json_of(&session, &[&words[..], &["--object", "axpy.o"]].concat());
    assert_eq!(answer["assumes"], "axpy.o");
    let refused = |more: &[&str]| ask(&session, &[&words[..], more].concat());
    refused(&["--object", "bare.o"]).exits(6).complains("no debug information");
    refused(&["--object", "nothing.o"]).exits(4).complains("nothing.o");
    refused(&["--compile", "gcc -O9x"]).exits(4).complains("gcc");
    refused(&["--compile", "cargo build"]).exits(4).complains("name the compiler itself");
    refused(&["--compile", "gcc 'O2"]).exits(2).complains("--compile");
    let tile = ["product.c", "-f", "tiled", "-D", "N=64", "--tile", "--compile", "gcc"];
    ask(&session, &tile).exits(2).complains("one value of the macro B");
}
