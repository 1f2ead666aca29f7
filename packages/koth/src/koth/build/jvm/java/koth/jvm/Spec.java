package koth.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The fields of a question and of its answer, as the hello declares them. */
final class Spec {
    /**
     * One array of whole numbers (kind i or u), truths (b) or fractions (f) of {@code size} bytes:
     * {@code each} values per row, or the number in the field {@code ragged} (-1: not ragged). Of a {@code sparse}
     * array only the values that are not 0 are sent.
     */
    static final class Field {
        final String name;
        final char kind;
        final int size;
        final int each;
        final int ragged;
        final boolean sparse;
        final double otherwise;

        Field(List<?> words, List<Field> before) {
            name = (String) words.get(0);
            String type = ((String) words.get(1)).replaceAll("[<|=]", "");
            kind = type.charAt(0);
            size = Integer.parseInt(type.substring(1));
            int count = 1;
            for (Object length : (List<?>) words.get(2)) {
                count *= ((Number) length).intValue();
            }
            each = count;
            Object last = words.get(3);
            ragged = last instanceof String ? index(before.toArray(new Field[0]), (String) last) : -1;
            sparse = words.size() > 4 && Boolean.TRUE.equals(words.get(4)); // of a list in an answer: its count
            otherwise = last instanceof Number ? ((Number) last).doubleValue() : 0;
        }
    }

    final String name;
    final Field[] view;
    final Field[] answer;

    private Spec(Map<?, ?> spec) {
        name = (String) spec.get("name");
        List<Object> seen = new ArrayList<>();
        seen.add(Arrays.asList("body", "i4", List.of(), null));
        seen.addAll((List<?>) spec.get("view"));
        view = fields(seen);
        answer = fields((List<?>) spec.get("answer"));
    }

    private static Field[] fields(List<?> list) {
        List<Field> fields = new ArrayList<>();
        for (Object item : list) {
            fields.add(new Field((List<?>) item, fields));
        }
        return fields.toArray(new Field[0]);
    }

    /** Return the index of the field with this name. */
    static int index(Field[] fields, String name) {
        for (int i = 0; i < fields.length; i++) {
            if (fields[i].name.equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no field " + name);
    }

    static List<Spec> of(List<?> questions) {
        List<Spec> specs = new ArrayList<>();
        for (Object question : questions) {
            specs.add(new Spec((Map<?, ?>) question));
        }
        return specs;
    }
}
