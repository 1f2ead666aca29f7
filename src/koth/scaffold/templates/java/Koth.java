// JSON, and the loop of messages between koth and a bot. It need not be changed: the page to write is the other one.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

public final class Koth {
    /** A bot for one match. Its answers are maps, lists, texts, numbers, truths and null. */
    public interface Bot {
        Map<String, Object> answer(String name, Json question);
    }

    /** Play one match with a bot that is made of hello. */
    public static void play(Function<Json, Bot> newBot) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a bot prints is no answer
        Bot bot = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Json message = new Reader(line).value();
            Map<String, Object> answer = new HashMap<>();
            if (message.get("bye") != null) {
                return;
            } else if (message.get("hello") != null) {
                bot = newBot.apply(message.get("hello"));
                answer.put("ready", true);
            } else {
                answer.putAll(bot.answer(message.get("question").text(), message));
                answer.put("ask", message.get("ask").whole());
            }
            out.println(written(answer));
        }
    }

    /** Make an answer for each unit of a list, by the unit's number. */
    public static Map<String, Object> each(Json units, Function<Json, Json> number, Supplier<Object> answer) {
        Map<String, Object> answers = new TreeMap<>();
        units.items().forEach(unit -> answers.put(number.apply(unit).text(), answer.get()));
        return answers;
    }

    private static String written(Object value) {
        if (value instanceof String) {
            return '"' + ((String) value).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        } else if (value instanceof List) {
            return ((List<?>) value).stream().map(Koth::written).collect(Collectors.joining(",", "[", "]"));
        } else if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                    .map(pair -> written(pair.getKey().toString()) + ":" + written(pair.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        return String.valueOf(value);
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        /** Skip what separates values, and return the next character. */
        private char peek() {
            while (" ,:\t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return text.charAt(at);
        }

        Json value() {
            char first = peek();
            if (first == '"') {
                return new Json(string());
            } else if (first != '{' && first != '[') {
                int start = at;
                while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
                String word = text.substring(start, at);
                return word.equals("null") ? null : new Json(word);
            }
            Map<String, Json> members = new HashMap<>();
            List<Json> items = new ArrayList<>();
            for (at++; peek() != '}' && text.charAt(at) != ']';) {
                if (first == '{') {
                    members.put(string(), value());
                } else {
                    items.add(value());
                }
            }
            at++;
            return new Json(first == '{' ? members : items);
        }

        private String string() {
            StringBuilder found = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char letter = text.charAt(at);
                if (letter == '\\') {
                    letter = text.charAt(++at);
                    if (letter == 'u') {
                        letter = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else if ("nrtbf".indexOf(letter) >= 0) {
                        letter = "\n\r\t\b\f".charAt("nrtbf".indexOf(letter));
                    }
                }
                found.append(letter);
            }
            at++;
            return found.toString();
        }
    }

    /** A JSON value: an object, a list, or a text, number or truth as it is written. */
    public static final class Json {
        private final Object value;

        Json(Object value) {
            this.value = value;
        }

        /** The value of a key; null if it is not there. */
        public Json get(String key) {
            return (Json) ((Map<?, ?>) value).get(key);
        }

        /** The items of a list. An exception for any other value, here and below. */
        @SuppressWarnings("unchecked")
        public List<Json> items() {
            return (List<Json>) value;
        }

        public boolean isObject() {
            return value instanceof Map;
        }

        public String text() {
            return (String) value;
        }

        public long whole() {
            return Long.parseLong(text());
        }

        public double real() {
            return Double.parseDouble(text());
        }

        public boolean truth() {
            return text().equals("true");
        }
    }
}
