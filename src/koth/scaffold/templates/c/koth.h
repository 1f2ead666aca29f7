/* JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.c. */

#ifndef KOTH_H
#define KOTH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A JSON value. It lives until the next message comes; hello lives on. */
typedef struct json {
    char kind;                 /* { [ " or the first character of a number, true, false or null */
    char *text;                /* a string; a number's digits, and whatever follows them */
    char *key;                 /* its own, in an object */
    struct json *first, *next; /* the first value in it, and the one after it */
} json;

/* The value of a key; NULL if it is not there. */
static inline const json *json_get(const json *object, const char *key)
{
    const json *one = object->first;
    while (one && strcmp(one->key, key))
        one = one->next;
    return one;
}

static inline long long json_int(const json *value) { return strtoll(value->text, NULL, 10); }
static inline double json_real(const json *value) { return strtod(value->text, NULL); }

static uint64_t dice;

/* Draw a whole number from 0 up to count - 1; the dice follow from the seed in hello. */
static inline int below(int count)
{
    uint64_t mixed = dice += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return (int)((mixed ^ (mixed >> 31)) % (uint64_t)count);
}

#define PICK(values) (values)[below(sizeof(values) / sizeof *(values))]

/* Read a string in its place, behind the quotation mark. */
static inline char *json_string(char **at)
{
    char *found = *at, *out = found;
    for (; **at != '"' && **at; ++*at) {
        const char *escape;
        if (**at != '\\') {
            *out++ = **at;
        } else if (*++*at == 'u') { /* koth writes only control characters so */
            char digits[5] = {(*at)[1], (*at)[2], (*at)[3], (*at)[4], 0};
            *out++ = (char)strtol(digits, NULL, 16);
            *at += 4;
        } else {
            escape = strchr("n\nr\rt\tb\bf\f", **at);
            *out++ = escape ? escape[1] : **at;
        }
    }
    ++*at;
    *out = 0;
    return found;
}

static inline json *json_read(char **at)
{
    json *found = calloc(1, sizeof *found), **last = &found->first;
    *at += strspn(*at, " ,:\t\r\n");
    found->kind = **at;
    found->text = *at;
    if (found->kind == '"') {
        ++*at;
        found->text = json_string(at);
    } else if (found->kind != '{' && found->kind != '[') {
        *at += strcspn(*at, ",]} \t\r\n");
    } else {
        for (++*at; *at += strspn(*at, " ,\t\r\n"), **at && !strchr("]}", **at); last = &(*last)->next) {
            char *key = NULL;
            if (found->kind == '{') {
                ++*at;
                key = json_string(at);
            }
            *last = json_read(at);
            (*last)->key = key;
        }
        ++*at;
    }
    return found;
}

static inline void json_free(json *value)
{
    while (value) {
        json *next = value->next;
        json_free(value->first);
        free(value);
        value = next;
    }
}

/* Play one match. */
static inline int play(void (*begin)(const json *hello), void (*answer)(const char *name, const json *question))
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        char *at = line;
        json *message = json_read(&at);
        const json *hello = json_get(message, "hello");
        if (json_get(message, "bye"))
            break;
        if (hello) {
            dice = (uint64_t)json_int(json_get(hello, "seed"));
            begin(hello);
            printf("{\"ready\":true}\n");
            line = NULL; /* what hello says is kept */
            size = 0;
        } else {
            printf("{\"ask\":%lld", json_int(json_get(message, "ask")));
            answer(json_get(message, "question")->text, message);
            printf("}\n");
            json_free(message);
        }
        fflush(stdout);
    }
    return 0;
}

#endif
