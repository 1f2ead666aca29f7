// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What can be asked of a Json stands in Koth.kt. What the bot prints is kept for you, and no answer.

import kotlin.random.Random
<% for shape in picked %>

val «upper(shape.name)» = listOf(
<% for value in shape.values %>
    "«value»"«"," if not loop.last»
<% endfor %>
)
<% endfor %>

/**
 * hello tells what is the same for the whole match:
<% for row in match_info %>
 * - «row»
<% endfor %>
 */
class Bot(private val hello: Json) : Player {
    private val dice = Random(hello["seed"]!!.long)

    override fun answer(name: String, question: Json): Map<String, Any?> = when (name) {
<% for each in asked %>
        "«each.name»" -> «method(each)»(question)
<% endfor %>
        else -> throw IllegalArgumentException("no question of this game: $name")
    }
<% for each in asked %>

    /**
     * «each.doc»
<% for title, rows in tables(each) %>
     *
     * «title»:
<% for row in rows %>
     * - «row»
<% endfor %>
<% endfor %>
     */
    private fun «method(each)»(question: Json): Map<String, Any?> = mapOf(
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
        "«member.key»" to question["«each.units.key»"]!!.items.associate { «unit(each)» ->
            «unit(each)»«'["%s"]!!' % each.label if each.label».int to «value(member.shape.value, each.example[member.key].values()|first)»
        }«"," if not loop.last»
<% else %>
        "«member.key»" to «value(member.shape, each.example[member.key])»«"," if not loop.last»
<% endif %>
<% endfor %>
    )
<% endfor %>
}

fun main() = play { hello -> Bot(hello) }
