/* JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.c. */

#include "koth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json {
    char kind; /* { [ " or the first character of a word */
    char *text; /* of a string or a word */
    char *key; /* its own, in an object */
    struct json *first, *next;
    int count;
};

/* --- memory: all that a message needs is given back at once */

struct block {
    struct block *next;
    size_t size, used;
    char bytes[];
};

static struct block *blocks;

static void *get(size_t size)
{
    size = (size + 15) / 16 * 16;
    if (!blocks || blocks->used + size > blocks->size) {
        size_t room = size > 65536 ? size : 65536;
        struct block *block = malloc(sizeof *block + room);
        if (!block)
            abort();
        block->next = blocks;
        block->size = room;
        block->used = 0;
        blocks = block;
    }
    blocks->used += size;
    return blocks->bytes + blocks->used - size;
}

static void give_back(void)
{
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

/* --- reading */

static const char *at;

static char peek(void)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
        at++;
    return *at;
}

static char *string(void)
{
    char *found = get(strcspn(at, "\n") + 1), *out = found;
    for (at++; *at && *at != '"'; at++) {
        static const char names[] = "nrtbf", meant[] = "\n\r\t\b\f";
        const char *name;
        if (*at != '\\') {
            *out++ = *at;
        } else if (*++at == 'u') { /* koth writes only control characters so */
            char digits[5] = {at[1], at[2], at[3], at[4], 0};
            *out++ = (char)strtol(digits, NULL, 16);
            at += 4;
        } else {
            name = strchr(names, *at);
            *out++ = name ? meant[name - names] : *at;
        }
    }
    *out = 0;
    at++;
    return found;
}

static json *value(void)
{
    json *found = get(sizeof *found), **last = &found->first;
    memset(found, 0, sizeof *found);
    found->kind = peek();
    if (found->kind == '"') {
        found->text = string();
    } else if (found->kind == '{' || found->kind == '[') {
        for (at++; peek() != '}' && *at != ']' && *at;) {
            char *key = NULL;
            if (found->kind == '{') {
                key = string();
                peek();
                at++; /* the colon */
            }
            *last = value();
            (*last)->key = key;
            last = &(*last)->next;
            found->count++;
            if (peek() == ',') {
                at++;
                peek();
            }
        }
        at++;
    } else {
        size_t length = strcspn(at, ",]} \t\r\n");
        found->text = get(length + 1);
        memcpy(found->text, at, length);
        found->text[length] = 0;
        at += length;
    }
    return found;
}

const json *json_get(const json *object, const char *key)
{
    const json *one = object ? object->first : NULL;
    while (one && strcmp(one->key, key))
        one = one->next;
    return one;
}

int json_count(const json *list) { return list->count; }

const json *json_at(const json *list, int place)
{
    const json *one = list->first;
    while (place-- > 0 && one)
        one = one->next;
    return one;
}

bool json_is_object(const json *value) { return value->kind == '{'; }
bool json_is_text(const json *value) { return value->kind == '"'; }
long long json_int(const json *value) { return strtoll(value->text, NULL, 10); }
double json_real(const json *value) { return strtod(value->text, NULL); }
bool json_truth(const json *value) { return value->kind == 't'; }
const char *json_text(const json *value) { return value->text; }

/* --- a match */

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

static uint64_t dice;

int below(int count)
{
    uint64_t mixed = dice += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return (int)((mixed ^ (mixed >> 31)) % (uint64_t)count);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const json *message, *hello;
        at = line;
        message = value();
        hello = json_get(message, "hello");
        if (json_get(message, "bye"))
            break;
        if (hello) {
            dice = (uint64_t)json_int(json_get(hello, "seed"));
            begin(hello);
            say("{\"ready\":true}\n");
            blocks = NULL; /* what hello says is kept */
        } else {
            say("{\"ask\":%lld", json_int(json_get(message, "ask")));
            answer(json_text(json_get(message, "question")), message);
            say("}\n");
            give_back();
        }
        fflush(stdout);
    }
    return 0;
}
