/* «title»: a first bot, whose answers are legal and drawn at random. Write better ones. */

#include "koth.h"

«choices»

static const json *match_info;

static void begin(const json *hello)
{
    // What holds for the whole match:
    //   «hello»
    match_info = hello;
}

/* Print the rest of the answer: a comma and "key":value for each of its keys. Other things go to stderr. */
static void answer(const char *name, const json *question)
{
    (void)question;
«questions»
    if (!strcmp(name, "«name»")) {
        // «about»
        «answer»
    }
«end»
}

int main(void)
{
    return play(begin, answer);
}
