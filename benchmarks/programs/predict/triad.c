// triad of STREAM, floats
// half: judging
// sizes: 500 2000 10000 50000 400000
float a[N];
float b[N];
float c[N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        a[i] = b[i] + 3.0f * c[i];
}

void prepare(void) {
    for (long i = 0; i < (long)((N)); i++)
        ((float *)a)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((float *)b)[i] = (float)(1 + i % 7);
    for (long i = 0; i < (long)((N)); i++)
        ((float *)c)[i] = (float)(1 + i % 7);
}
