// lengths of vectors that are kept as structs
// half: training
// sizes: 500 2000 10000 50000 400000
struct point { float x, y, z, length; };
struct point p[N];

void kernel(void) {
    for (int i = 0; i < N; i++)
        p[i].length = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
}

void prepare(void) {
    for (int i = 0; i < N; i++)
        p[i].x = p[i].y = p[i].z = i % 5;
}
