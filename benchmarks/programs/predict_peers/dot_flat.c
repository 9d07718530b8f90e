// scalar product, as kerncraft takes it
// half: judging
// sizes: 500 2000 10000 50000 400000
double x[N];
double y[N];
double s;

void kernel(void) {
    for (int i = 0; i < N; i++)
        s += x[i] * y[i];
}

void prepare(void) {
    for (long i = 0; i < (long)(N); i++)
        ((double *)x)[i] = (double)(1 + i % 7);
    for (long i = 0; i < (long)(N); i++)
        ((double *)y)[i] = (double)(1 + i % 7);
}
