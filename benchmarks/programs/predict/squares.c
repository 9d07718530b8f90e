// sum of squares of floats
// half: judging
// sizes: 500 2000 10000 50000 400000
float x[N];
float result;

void kernel(void) {
    float s = 0;
    for (int i = 0; i < N; i++)
        s += x[i] * x[i];
    result = s;
}

void prepare(void) {
    for (long i = 0; i < (long)((N)); i++)
        ((float *)x)[i] = (float)(1 + i % 7);
}
