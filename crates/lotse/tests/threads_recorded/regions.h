/* Functions of the program in the trace that EZTrace records of its threads. Debian's EZTrace has no module for them,
 * but keeps a writer of events for each thread, which is found by name while the program runs: the program is built
 * without EZTrace and runs without it. */

#ifndef REGIONS_H
#define REGIONS_H

struct region {
    const char *name;
    /* What the recorder calls it. */
    int number;
};

/* Asks the recorder for numbers, before there are other threads. */
void define(struct region *region);
void enter(const struct region *region);
void leave(const struct region *region);

#endif
