// JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is Bot.kt.

/** A JSON value out of a message. */
class Json(private val value: Any?) {
    /** The value of a key; null if it is not there. */
    operator fun get(key: String): Json? = (value as Map<*, *>)[key] as Json?

    operator fun get(place: Int): Json = items[place]

    val items: List<Json> get() = (value as List<*>).map { it as Json }
    val isObject: Boolean get() = value is Map<*, *>
    val isText: Boolean get() = value is String
    val text: String get() = value as String
    val truth: Boolean get() = value as Boolean
    val long: Long get() = (value as Number).toLong()
    val int: Int get() = (value as Number).toInt()
    val real: Double get() = (value as Number).toDouble()

    override fun toString() = "$value"
}

/** Texts, numbers, truths, null, lists, and maps with any keys, as JSON. */
fun written(value: Any?): String = when (value) {
    is String -> "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
    is Map<*, *> -> value.entries.joinToString(",", "{", "}") { written("${it.key}") + ":" + written(it.value) }
    is List<*> -> value.joinToString(",", "[", "]") { written(it) }
    else -> "$value"
}

private class Reader(private val text: String) {
    private var at = 0

    private fun peek(): Char {
        while (text[at].isWhitespace()) at++
        return text[at]
    }

    fun value(): Json = when (peek()) {
        '{' -> Json(several('}') { string().also { peek(); at++ } to value() }.toMap())
        '[' -> Json(several(']') { value() })
        '"' -> Json(string())
        else -> Json(word())
    }

    private fun <T> several(end: Char, one: () -> T): List<T> {
        val found = ArrayList<T>()
        at++
        while (peek() != end) {
            found.add(one())
            if (peek() == ',') {
                at++
                peek()
            }
        }
        at++
        return found
    }

    private fun word(): Any? {
        val start = at
        while (at < text.length && text[at] !in ",]} \t\r\n") at++
        val word = text.substring(start, at)
        return when (word) {
            "true" -> true
            "false" -> false
            "null" -> null
            else -> word.toLongOrNull() ?: word.toDouble()
        }
    }

    private fun string(): String {
        val found = StringBuilder()
        at++
        while (text[at] != '"') {
            var letter = text[at++]
            if (letter == '\\') {
                letter = text[at++]
                if (letter == 'u') {
                    letter = text.substring(at, at + 4).toInt(16).toChar()
                    at += 4
                } else if (letter in "nrtbf") {
                    letter = "\n\r\t\b\u000c"["nrtbf".indexOf(letter)]
                }
            }
            found.append(letter)
        }
        at++
        return found.toString()
    }
}

/** A bot for one match: made of what it is told first, it answers each question by its name. */
interface Player {
    fun answer(name: String, question: Json): Map<String, Any?>
}

/** Plays one match, from koth's hello to its goodbye. */
fun play(newPlayer: (Json) -> Player) {
    var player: Player? = null
    val out = System.out
    System.setOut(System.err) // what a bot prints is no answer
    for (line in generateSequence(::readLine)) {
        val message = Reader(line).value()
        if (message["bye"] != null) return
        val hello = message["hello"]
        val answer = if (hello != null) {
            player = newPlayer(hello)
            mapOf("ready" to true)
        } else {
            mapOf("ask" to message["ask"]!!.long) + player!!.answer(message["question"]!!.text, message)
        }
        out.println(written(answer))
        out.flush()
    }
}
