/* «title»: a first bot, which plays anything that is allowed.
 *
 * This page is all there is to write.
 * What can be asked of a JSON value stands in koth.h. Print to stderr: koth reads stdout. */

#include "koth.h"

#include <string.h>
<% for shape in picked %>

static const char *const «upper(shape.name)»[] = {
<% for value in shape.values %>
    "«value»",
<% endfor %>
};
<% endfor %>

static const json *match_info;

/* hello tells what is the same for the whole match:
<% for row in match_info %>
 *   «row»
<% endfor %>
 */
void begin(const json *hello)
{
    match_info = hello;
}
<% macro said(shape, example) %>
<% if kind(shape) == "Enum" %>
say("\"%s\"", «upper(shape.name)»[below(«shape.values|length»)]);
<%- elif kind(shape) == "Choice" and kind(shape.cases[0].shape) == "Enum" %>
say("\"%s\"", «upper(shape.cases[0].shape.name)»[below(«shape.cases[0].shape.values|length»)]);
<%- else %>
say("%s", «json(json(example))»);
<%- endif %>
<% endmacro %>
<% for each in asked %>

/* «each.doc»
<% for title, rows in tables(each) %>
 *
 * «title»:
<% for row in rows %>
 *   «row»
<% endfor %>
<% endfor %>
 */
static void «method(each)»(const json *question)
{
<% if each.units %>
    const json *«snake(each.units.key)» = json_get(question, "«each.units.key»");
<% else %>
    (void)question;
<% endif %>
<% for member in each.answer.members %>
    say(",\"«member.key»\":");
<% if kind(member.shape) == "ByNumber" %>
    say("{");
    for (int i = 0; i < json_count(«snake(each.units.key)»); i++) {
        const json *one = json_at(«snake(each.units.key)», i);
        say("%s\"%lld\":", i ? "," : "", json_int(«'json_get(one, "%s")' % each.label if each.label else "one"»));
        «said(member.shape.value, each.example[member.key].values()|first)»
    }
    say("}");
<% else %>
    «said(member.shape, each.example[member.key])»
<% endif %>
<% endfor %>
}
<% endfor %>

void answer(const char *name, const json *question)
{
<% for each in asked %>
    if (!strcmp(name, "«each.name»"))
        «method(each)»(question);
<% endfor %>
}
