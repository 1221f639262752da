//! Loops over doubles, compiled once for each vector width, give the same bits in all versions: products
//! are rounded before they are added, and sums keep their order.

use fluid_core::math::Random;
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};

/// Sums, products, quotients and square roots, in lanes and one after the other.
struct Work<'a> {
    a: &'a [f64],
    b: &'a [f64],
    out: &'a mut [f64],
    sum: &'a mut f64,
}

impl VectorJob for Work<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { a, b, out, sum } = self;
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out += a * b;
            *out = (*out * *out + a * a).sqrt() / (1.0 + b);
            *sum += a * b;
        }
    }
}

#[test]
fn of_loops_over_doubles() {
    let random = Random::new(3);
    let values =
        |first: u64| -> Vec<f64> { (0..1003).map(|n| f64::from(random.unit(first + n)) / 3.0).collect() };
    let (a, b) = (values(0), values(5000));
    let bits = |set: InstructionSet| {
        let (mut out, mut sum) = (values(10_000), 0.0);
        run_in_vectors(set, Work { a: &a, b: &b, out: &mut out, sum: &mut sum });
        out.push(sum);
        out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let portable = bits(InstructionSet::Portable);
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
        assert_eq!(bits(set), portable, "{set:?}");
    }
}
