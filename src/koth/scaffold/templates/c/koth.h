/* JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is bot.c. */

#ifndef KOTH_H
#define KOTH_H

#include <stdbool.h>
#include <stdint.h>

/* A JSON value out of a message. It lives until the next message comes; hello lives on. */
typedef struct json json;

/* The value of a key of an object; NULL if it is not there. */
const json *json_get(const json *object, const char *key);
/* How many values a list or an object has, and the one at a place. */
int json_count(const json *list);
const json *json_at(const json *list, int place);
/* What a value is. */
bool json_is_object(const json *value);
bool json_is_text(const json *value);
long long json_int(const json *value);
double json_real(const json *value);
bool json_truth(const json *value);
const char *json_text(const json *value);

/* Write a part of the answer, as printf does; the answer is one JSON object. */
void say(const char *format, ...);

/* A whole number from 0 up to count - 1, from dice that follow from the seed. */
int below(int count);

/* What bot.c has: called once when the match begins, and for each question by its name. */
void begin(const json *hello);
void answer(const char *name, const json *question);

#endif
