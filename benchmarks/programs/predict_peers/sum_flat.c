// sum of a vector, as kerncraft takes it
// half: judging
// sizes: 500 2000 10000 50000 400000
double a[N];
double s;

void kernel(void) {
    for (int i = 0; i < N; i++)
        s += a[i];
}

void prepare(void) {
    for (long i = 0; i < (long)(N); i++)
        ((double *)a)[i] = (double)(1 + i % 7);
}
