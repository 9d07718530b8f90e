/* Regions of a program in the trace that EZTrace records of it. Without EZTrace they do nothing. */

#ifndef REGIONS_H
#define REGIONS_H

#include <stdint.h>

struct region {
    const char *name;
    /* What the recorder calls it, once it was asked. */
    uint32_t number;
    int known;
};

void region_enter(struct region *region);
void region_leave(struct region *region);

#endif
