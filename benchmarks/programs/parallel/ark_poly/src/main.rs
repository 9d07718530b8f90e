//! Multiplies, divides and evaluates polynomials over the scalar field of BLS12-381, as a proof system does.
use ark_bls12_381::Fr;
use ark_ff::{Field, One, Zero};
use ark_poly::univariate::DensePolynomial;
use ark_poly::{
    DenseUVPolynomial, EvaluationDomain, Evaluations, Polynomial, Radix2EvaluationDomain,
};

fn main() {
    let log = std::env::args().nth(1).map_or(15, |n| n.parse().unwrap());
    let size = 1usize << log;
    let mut state = Fr::from(7u64);
    let mut next = || {
        state = state.square() + Fr::one();
        state
    };
    let a = DensePolynomial::from_coefficients_vec((0..size).map(|_| next()).collect());
    let b = DensePolynomial::from_coefficients_vec((0..size).map(|_| next()).collect());
    let product = &a * &b;
    let domain = Radix2EvaluationDomain::<Fr>::new(2 * size).unwrap();
    let coset = domain.get_coset(Fr::from(5u64)).unwrap();

    let mut left = Evaluations::from_vec_and_domain(coset.fft(&a.coeffs), coset);
    let right = Evaluations::from_vec_and_domain(coset.fft(&b.coeffs), coset);
    left *= &right;
    left += &right;
    left -= &right;
    left /= &right;
    let back = left.interpolate();

    let small = Radix2EvaluationDomain::<Fr>::new(size / 2).unwrap();
    let (quotient, remainder) = product.divide_by_vanishing_poly(small);
    let scaled = &quotient.mul_by_vanishing_poly(small) * Fr::from(3u64);
    let values: Fr = (0..20).map(|i| product.evaluate(&Fr::from(i + 2u64))).sum();
    let lagrange: Fr = domain.evaluate_all_lagrange_coefficients(Fr::from(11u64)).iter().sum();
    println!("{} {} {} {}", back.degree(), remainder.degree(), scaled.degree(), (values + lagrange).is_zero());
}
