"""Remakes the table in src/modality/table.rs: quantiles of sqrt(n) * dip of uniform values.

Needs numpy and the diptest package (pip install numpy diptest).
"""
import diptest
import numpy as np

SAMPLES = 200_000
LEVELS = [0.95, 0.99, 0.999]

if __name__ == "__main__":
    for n in [10, 20, 50, 100, 200, 500, 1000, 5000]:
        rng = np.random.default_rng(n)
        samples = SAMPLES if n <= 1000 else SAMPLES // 4
        dips = [diptest.dipstat(np.sort(rng.random(n)), sort_x=False) for _ in range(samples)]
        quantiles = np.sqrt(n) * np.quantile(dips, LEVELS)
        print(f"    ({n}.0, [{', '.join(f'{q:.4f}' for q in quantiles)}]),", flush=True)
