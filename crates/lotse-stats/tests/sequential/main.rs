//! Draft
mod noise;
use lotse_stats::paired::PairedEstimate;
use lotse_stats::sequential::{Look, Plan, SpendingFunction, Trial, Verdict, decide};
use noise::{Noise, Simulator};

struct Design { plan: Plan, looks: Vec<Look> }
impl Design {
    fn new(plan: Plan, most: usize, step: f64) -> Self {
        let mut trial = Trial::new(plan, 1).unwrap();
        let mut looks = vec![]; let mut n = plan.min_blocks;
        loop {
            looks.push(trial.look(n as f64 / most as f64, n).unwrap()[0]);
            if n == most { break }
            n = (n + ((most as f64*step).ceil() as usize).max(1)).min(most);
        }
        Self { plan, looks }
    }
}
struct Rates { trials: usize, faster: usize, slower: usize, missed: usize, blocks: usize }
fn simulate(design: &Design, noise: Noise, theta: f64, trials: usize, seed: u64) -> Rates {
    let mut sim = Simulator::new(seed);
    let mut r = Rates { trials, faster: 0, slower: 0, missed: 0, blocks: 0 };
    let most = design.looks.last().unwrap().information as usize;
    for _ in 0..trials {
        let blocks = sim.blocks(noise, most, theta);
        for look in &design.looks {
            let n = look.information as usize;
            let e = PairedEstimate::new(&blocks[..n]).unwrap();
            let d = decide(&design.plan, *look, &e);
            if d.stop.is_some() {
                r.faster += (d.verdict == Verdict::Faster) as usize;
                r.slower += (d.verdict == Verdict::Slower) as usize;
                r.missed += (!d.theta.contains(theta)) as usize;
                r.blocks += n;
                break;
            }
        }
    }
    r
}
#[test]
fn explore() {
    let trials: usize = std::env::var("TRIALS").map_or(1000, |s| s.parse().unwrap());
    for most in [30, 150, 400] {
        let design = Design::new(Plan::default(), most, 0.05);
        let start = std::time::Instant::now();
        for noise in Noise::ALL {
            let t = if most == 400 { trials / 4 } else { trials };
            let r = simulate(&design, noise, 0.0, t, 1);
            let c = simulate(&design, noise, 0.01, t, 2);
            println!("{most} {noise:?}: false {:.4} mean blocks {:.0}; at 1%: power {:.3} wrong {:.3} missed {:.4} blocks {:.0}", (r.faster + r.slower) as f64 / t as f64, r.blocks as f64 / t as f64,
             c.slower as f64 / t as f64, c.faster as f64 / t as f64, c.missed as f64 / t as f64, c.blocks as f64 / t as f64);
        }
        println!("{:?}", start.elapsed());
    }
}
#[test]
fn power() {
    let trials: usize = std::env::var("TRIALS").map_or(1000, |s| s.parse().unwrap());
    for f in [SpendingFunction::Power(1.0), SpendingFunction::Power(2.0), SpendingFunction::Power(3.0), SpendingFunction::ObrienFleming] {
      for step in [0.05, 0.1] {
        let design = Design::new(Plan { spending: f, ..Plan::default() }, 150, step);
        let r = simulate(&design, Noise::Normal, 0.005, trials, 7);
        let l = simulate(&design, Noise::Normal, 0.02, trials, 8);
        println!("{f:?} {step}: power {:.3} wrong {} blocks {:.0}; at 2 %: blocks {:.1}; final z {:.3}", r.slower as f64 / r.trials as f64, r.faster, r.blocks as f64 / r.trials as f64, l.blocks as f64/l.trials as f64, design.looks.last().unwrap().z);
      }
    }
}
