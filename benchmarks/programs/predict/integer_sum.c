// sum of bytes
// half: judging
// sizes: 500 2000 10000 50000 400000
unsigned a[N];
unsigned result;

void kernel(void) {
    unsigned s = 0;
    for (int i = 0; i < N; i++)
        s += a[i] & 15;
    result = s;
}

void prepare(void) {
    for (int i = 0; i < N; i++)
        a[i] = i % 5;
}
