package koth.jvm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of a question and of its answer, as the hello tells them. */
final class Spec {
    /** One array: a value, or {@code each} values, per row; with {@code ragged}, as many as that field says. */
    static final class Field {
        final char kind;
        final int size;
        final int each;
        final String ragged;
        final double otherwise;

        Field(String dtype, List<?> shape, Object last) {
            String type = dtype.replaceAll("[<|=]", "");
            int count = 1;
            for (Object length : shape) {
                count *= ((Number) length).intValue();
            }
            kind = type.charAt(0);
            size = Integer.parseInt(type.substring(1));
            each = count;
            ragged = last instanceof String ? (String) last : null;
            otherwise = last instanceof Number ? ((Number) last).doubleValue() : 0;
        }
    }

    final String name;
    final Map<String, Field> view;
    final Map<String, Field> answer;

    private Spec(Map<?, ?> spec) {
        name = (String) spec.get("name");
        view = fields((List<?>) spec.get("view"));
        answer = fields((List<?>) spec.get("answer"));
    }

    private static Map<String, Field> fields(List<?> list) {
        Map<String, Field> fields = new LinkedHashMap<>();
        for (Object item : list) {
            List<?> field = (List<?>) item;
            fields.put((String) field.get(0), new Field((String) field.get(1), (List<?>) field.get(2), field.get(3)));
        }
        return fields;
    }

    static List<Spec> of(List<?> questions) {
        List<Spec> specs = new ArrayList<>();
        for (Object question : questions) {
            specs.add(new Spec((Map<?, ?>) question));
        }
        return specs;
    }
}
