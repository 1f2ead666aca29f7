package koth.jvm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A reader of the JSON that koth writes: maps, lists, strings, Long, Double, Boolean and null. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        return new Json(text).value();
    }

    private char next() {
        while (text.charAt(at) <= ' ') {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (next()) {
            case '{':
                return object();
            case '[':
                return list();
            case '"':
                return string();
            default:
                return literal();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (next() != '}') {
            if (text.charAt(at) == ',') {
                at++;
                next();
            }
            String key = string();
            next();
            at++; // the colon
            map.put(key, value());
        }
        at++;
        return map;
    }

    private List<Object> list() {
        List<Object> values = new ArrayList<>();
        at++;
        while (next() != ']') {
            if (text.charAt(at) == ',') {
                at++;
            }
            values.add(value());
        }
        at++;
        return values;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        for (char c = text.charAt(at); c != '"'; c = text.charAt(++at)) {
            if (c != '\\') {
                out.append(c);
                continue;
            }
            c = text.charAt(++at);
            int plain = "bfnrt".indexOf(c);
            if (c == 'u') {
                out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                out.append(plain < 0 ? c : "\b\f\n\r\t".charAt(plain));
            }
        }
        at++;
        return out.toString();
    }

    private Object literal() {
        int start = at;
        while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        if (word.equals("null")) {
            return null;
        }
        if (word.equals("true") || word.equals("false")) {
            return word.equals("true");
        }
        try {
            return Long.valueOf(word);
        } catch (NumberFormatException notWhole) {
            return Double.valueOf(word);
        }
    }

    /** Return a string as JSON. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
