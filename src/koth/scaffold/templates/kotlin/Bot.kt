// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

import kotlin.random.Random

«choices»

/** A bot in one match. What it prints is kept for its author. */
class Bot(private val hello: Koth.Json) : Koth.Bot {
    // What holds for the whole match:
    //   «hello»
    private val dice = Random(hello["seed"].whole())

    override fun answer(name: String, question: Koth.Json): Map<String, Any?> = when (name) {
«questions»
        // «about»
        "«name»" -> «answer»
«end»
        else -> error("no question of this game: $name")
    }
}

fun main() = Koth.play(::Bot)
