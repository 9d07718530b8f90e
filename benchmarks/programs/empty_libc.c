/* Ends at once, where empty.c cannot be built. */
int main(void) { return 0; }
