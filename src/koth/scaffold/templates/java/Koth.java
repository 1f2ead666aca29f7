// «title»: what a bot is told and may answer, as types, and the loop of messages.
//
// Made by `koth new` from the game's declaration. It need not be changed: the page to write is Bot.java.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A bot for one match: it is greeted, and answers each question. */
public abstract class Koth {
    /** What is the same for the whole match; there before anything is asked. */
    protected Hello hello;

    /** Called once, when `hello` is there. */
    protected void begin() {}
<% for each in asked %>

    /** «each.doc» */
    protected abstract «each.answer.name» «method(each)»(«each.question.name» question);
<% endfor %>

    // --- what is told and answered
<% for shape in named %>

<% if doc(shape) %>
    /** «doc(shape)|join(" ")» */
<% endif %>
<% if kind(shape) == "Enum" %>
    public enum «shape.name»«java.implements(shape, talk)» {
<% for value in shape.values %>
        «upper(value)»("«value»")«";" if loop.last else ","»
<% endfor %>

        private final String word;

        «shape.name»(String word) {
            this.word = word;
        }

<% if shape.name in said %>
        @Override
        public Object json() {
            return word;
        }
<% endif %>
<% if shape.name in told %>
<% if shape.name in said %>

<% endif %>
        static «shape.name» read(Object json) {
            for («shape.name» one : values()) {
                if (one.word.equals(json)) {
                    return one;
                }
            }
            throw new IllegalArgumentException("no «shape.name»: " + json);
        }
<% endif %>
    }
<% elif kind(shape) == "Record" %>
    public record «shape.name»(
<% for member in shape.members %>
<% if member.doc %>
            /** «sentence(member.doc)» */
<% endif %>
            «type(member.shape)» «field(member.key)»«")%s {" % java.implements(shape, talk) if loop.last else ","»
<% endfor %>
<% if shape.name in said %>
        @Override
        public Object json() {
<% if shape.row %>
            return List.of(
<%- for member in shape.members %>«", " if not loop.first»«field(member.key)»<% endfor %>
);
<% else %>
            Map<String, Object> json = new LinkedHashMap<>();
<% for member in shape.members %>
            json.put("«member.key»", «field(member.key)»);
<% endfor %>
            return json;
<% endif %>
        }
<% endif %>
<% if shape.name in told %>
<% if shape.name in said %>

<% endif %>
        static «shape.name» read(Object json) {
            return new «shape.name»(
<% for member in shape.members %>
                    «java.read(member.shape, "Json.at(json, %d)" % loop.index0 if shape.row else 'Json.get(json, "%s")' % member.key)»«");" if loop.last else ","»
<% endfor %>
        }
<% endif %>
    }
<% else %>
    public sealed interface «shape.name» permits
<%- for case in shape.cases %>«"," if not loop.first» «java.case_name(case)»<% endfor %> {
<% if shape.name in told %>
        static «shape.name» read(Object json) {
<% for case in shape.cases %>
            if (json instanceof «java.KINDS[in_json(case.shape)]») {
                return «"new %s(%s)" % (java.case_name(case), java.read(case.shape, "json")) if kind(case.shape) not in ('Enum', 'Record') else java.read(case.shape, "json")»;
            }
<% endfor %>
            throw new IllegalArgumentException("no «shape.name»: " + json);
        }
<% endif %>
    }
<% for case in shape.cases if kind(case.shape) not in ('Enum', 'Record') %>

    public record «java.case_name(case)»(«type(case.shape)» value) implements «"Written, " if shape.name in said»«shape.name» {
<% if shape.name in said %>
        @Override
        public Object json() {
            return value;
        }
<% endif %>
    }
<% endfor %>
<% endif %>
<% endfor %>

    // --- a match

    /** Plays one match, from koth's hello to its goodbye. */
    protected final void play() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a bot prints is no answer
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Object message = Json.parse(line);
            if (Json.get(message, "bye") != null) {
                return;
            }
            Map<String, Object> answer = new LinkedHashMap<>();
            if (Json.get(message, "hello") != null) {
                hello = Hello.read(Json.get(message, "hello"));
                begin();
                answer.put("ready", true);
            } else {
                answer.put("ask", Json.get(message, "ask"));
                ((Map<?, ?>) answer(message).json()).forEach((key, value) -> answer.put((String) key, value));
            }
            out.println(Json.written(answer));
        }
    }

    private Written answer(Object message) {
        switch ((String) Json.get(message, "question")) {
<% for each in asked %>
            case "«each.name»":
                return «method(each)»(«each.question.name».read(message));
<% endfor %>
            default:
                throw new IllegalArgumentException("no question of this game: " + message);
        }
    }

    // --- JSON

    /** What has a way to be written in an answer. */
    public interface Written {
        Object json();
    }

    /** JSON as Map, List, String, Long, Double, Boolean and null. */
    private static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        static Object parse(String text) {
            return new Json(text).value();
        }

        static Object get(Object json, String key) {
            return ((Map<?, ?>) json).get(key);
        }

        static Object at(Object json, int place) {
            return ((List<?>) json).get(place);
        }

        static <T> List<T> list(Object json, Function<Object, T> reader) {
            return ((List<?>) json).stream().map(reader::apply).toList();
        }

        static <T> T maybe(Object json, Function<Object, T> reader) {
            return json == null ? null : reader.apply(json);
        }

        static int whole(Object json) {
            return Math.toIntExact((Long) json);
        }

        static double real(Object json) {
            return ((Number) json).doubleValue();
        }

        static char letter(Object json) {
            return ((String) json).charAt(0);
        }

        static String written(Object value) {
            StringBuilder out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        private static void write(Object value, StringBuilder out) {
            if (value instanceof Written written) {
                write(written.json(), out);
            } else if (value instanceof Map<?, ?> map) {
                String before = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(before);
                    write(entry.getKey().toString(), out);
                    write(entry.getValue(), out.append(':'));
                    before = ",";
                }
                out.append(map.isEmpty() ? "{}" : "}");
            } else if (value instanceof List<?> list) {
                String before = "[";
                for (Object one : list) {
                    write(one, out.append(before));
                    before = ",";
                }
                out.append(list.isEmpty() ? "[]" : "]");
            } else if (value instanceof String || value instanceof Character) {
                out.append('"').append(value.toString().replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
            } else {
                out.append(value);
            }
        }

        private char peek() {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.charAt(at);
        }

        private Object value() {
            switch (peek()) {
                case '{':
                    Map<String, Object> map = new LinkedHashMap<>();
                    for (at++; peek() != '}'; comma()) {
                        String key = string();
                        peek();
                        at++; // the colon
                        map.put(key, value());
                    }
                    at++;
                    return map;
                case '[':
                    List<Object> list = new ArrayList<>();
                    for (at++; peek() != ']'; comma()) {
                        list.add(value());
                    }
                    at++;
                    return list;
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        private void comma() {
            if (peek() == ',') {
                at++;
                peek();
            }
        }

        private Object word() {
            int start = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(start, at);
            if (word.equals("true") || word.equals("false")) {
                return word.equals("true");
            }
            if (word.equals("null")) {
                return null;
            }
            return word.matches("-?[0-9]+") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
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
}
