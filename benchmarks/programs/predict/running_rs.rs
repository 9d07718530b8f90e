//! running sums of a slice
// half: training
// sizes: 500 2000 10000 50000 400000
// values: a.len() = N

#[inline(never)]
pub fn kernel(a: &mut [f64]) {
    for i in 1..a.len() {
        a[i] = 0.5 * a[i - 1] + a[i];
    }
}

pub struct Data {
    a: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let a = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { a }
}

pub fn call(_n: usize, data: &mut Data) -> f64 {
    kernel(&mut data.a);
    0.0
}
