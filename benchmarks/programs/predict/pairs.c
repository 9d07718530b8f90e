// forces between all pairs
// half: judging
// sizes: 50 120 300 700 1500
double x[N];
double y[N];
double f[N];

double sqrt(double);
void kernel(void) {
    for (int i = 0; i < N; i++) {
        double s = 0;
        for (int j = 0; j < N; j++) {
            double dx = x[i] - x[j], dy = y[i] - y[j];
            double r = dx * dx + dy * dy + 0.01;
            s += dx / (r * sqrt(r));
        }
        f[i] = s;
    }
}

void prepare(void) {
    for (long i = 0; i < (long)((N)); i++)
        ((double *)x)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)y)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)f)[i] = (double)(1 + i % 7);
}
