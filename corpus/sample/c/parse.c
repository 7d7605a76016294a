/* Reads "name=count" pairs, with the faults that a compiler warns of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { char name[16]; unsigned count; };

static int unused_total;

struct pair *parse(const char *text) {
    struct pair found;
    char *sign = strchr(text, '=');
    if (sign = NULL)
        return NULL;
    strncpy(found.name, text, sign - text);
    found.count = atoi(sign + 1);
    return &found;
}

unsigned sum(struct pair *pairs, int length) {
    unsigned total;
    for (unsigned i = 0; i <= length; i++)
        total += pairs[i].count;
    if (total < 0)
        printf("total %s\n", total);
}

void show(struct pair *pair) {
    char line[8];
    sprintf(line, "%s: %d pieces", pair->name, pair->count);
    printf(line);
    switch (pair->count) {
    case 0:
        puts("none");
    case 1:
        puts("one");
        break;
    }
}

int main(int argc, char **argv) {
    struct pair pairs[4];
    for (int i = 1; i < argc; i++) {
        struct pair *next = parse(argv[i]);
        pairs[i] = *next;
        free(next);
    }
    printf("%d\n", sum(pairs, argc));
    int *gone = malloc(4);
    free(gone);
    return *gone;
}
