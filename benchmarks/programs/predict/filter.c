// recursive filter of second order
// half: training
// sizes: 500 2000 10000 50000 400000
double x[N];
double y[N];

void kernel(void) {
    for (int i = 2; i < N; i++)
        y[i] = 0.1 * x[i] + 0.6 * y[i - 1] - 0.2 * y[i - 2];
}

void prepare(void) {
    for (long i = 0; i < (long)((N)); i++)
        ((double *)x)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((double *)y)[i] = (double)(1 + i % 7);
}
