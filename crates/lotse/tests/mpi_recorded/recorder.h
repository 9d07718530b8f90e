// Regions of a program that recorder.c records.
#ifndef RECORDER_H
#define RECORDER_H

enum region { WORK, EXTRA, REGIONS };

void enter(enum region region);
void leave(enum region region);

#endif
