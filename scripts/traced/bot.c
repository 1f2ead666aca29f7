#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>
static void *work(void *p) { char *m = malloc(40000000); memset(m, 1, 40000000); m = realloc(m, 90000000); free(m);
    usleep(1000); return p; }
int main(void) {
    char line[4096]; pthread_t t[4]; struct timespec now; FILE *f = fopen("/etc/hostname", "r"); if (f) fclose(f);
    struct rlimit r; getrlimit(RLIMIT_STACK, &r); sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < 4; i++) pthread_create(t + i, 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    while (fgets(line, sizeof line, stdin)) { clock_gettime(CLOCK_MONOTONIC, &now); printf("%s", line); fflush(stdout); }
    return 0; }
