package zombie;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/**
 * An entry compiled by Frege: a class with a static doTurn, whose lazy result is an Action, an IO action, or a
 * record with the action and the function for the next call.
 *
 * <p>Frege's runtime is reached by the names of its methods, so that any of its versions does.
 */
final class FregePlayer implements Player {
    private static final int MOST_STEPS = 1000;

    private Object next;

    FregePlayer(Class<?> type) {
        next = doTurnOf(type);
    }

    static boolean isEntry(Class<?> type) {
        return Modifier.isPublic(type.getModifiers()) && doTurnOf(type) != null;
    }

    private static Method doTurnOf(Class<?> type) {
        for (Class<?> parameter : new Class<?>[] {PlayerContext.class, Object.class}) {
            try {
                Method method = type.getMethod("doTurn", parameter);
                if (Modifier.isStatic(method.getModifiers())) {
                    return method;
                }
            } catch (NoSuchMethodException other) {
                continue;
            }
        }
        return null;
    }

    @Override
    public Action doTurn(PlayerContext context) {
        Object result = next instanceof Method ? invoke((Method) next, null, context) : apply(next, context);
        for (int step = 0; step < MOST_STEPS; step++) {
            result = force(result);
            if (result == null || result instanceof Action) {
                return (Action) result;
            }
            if (has(result, "mem$result")) {
                next = force(field(result, "mem$andThen"));
                result = field(result, "mem$result");
            } else {
                result = apply(result, 1); // an IO action is a function of the world, which is any value
            }
        }
        throw new IllegalStateException("doTurn does not lead to an Action");
    }

    /** The value of something lazy. */
    private static Object force(Object lazy) {
        Object value = lazy;
        for (int step = 0; step < MOST_STEPS && value != null && !(value instanceof Action); step++) {
            Method method = method(value, "forced", 0);
            if (method == null && method(value, "apply", 1) == null) {
                method = method(value, "call", 0);
            }
            Object forced = method == null ? value : invoke(method, value);
            if (forced == value) {
                return value;
            }
            value = forced;
        }
        return value;
    }

    private static Object apply(Object function, Object argument) {
        Method apply = method(function, "apply", 1);
        if (apply == null) {
            throw new IllegalStateException("doTurn gave a " + function.getClass().getName() + ", not an Action");
        }
        Object applied = invoke(apply, function, lazy(apply.getParameterTypes()[0], argument));
        Method result = applied == null ? null : method(applied, "result", 0);
        return result == null ? applied : invoke(result, applied);
    }

    /** The argument as it is, or wrapped where functions take lazy values only. */
    private static Object lazy(Class<?> parameter, Object argument) {
        if (parameter.isInstance(argument)) {
            return argument;
        }
        try {
            Class<?> thunk = Class.forName(parameter.getPackage().getName() + ".Thunk", true, parameter.getClassLoader());
            return invoke(thunk.getMethod("lazy", Object.class), null, argument);
        } catch (ReflectiveOperationException unknown) {
            throw new IllegalStateException("a version of Frege that koth does not know: " + parameter, unknown);
        }
    }

    private static boolean has(Object record, String name) {
        for (var field : record.getClass().getFields()) {
            if (field.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static Object field(Object record, String name) {
        try {
            var field = record.getClass().getField(name);
            field.setAccessible(true);
            return field.get(record);
        } catch (ReflectiveOperationException absent) {
            throw new IllegalStateException(record.getClass().getName() + " has no field " + name, absent);
        }
    }

    private static Method method(Object object, String name, int parameters) {
        for (Method method : object.getClass().getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == parameters
                    && !Modifier.isStatic(method.getModifiers())) {
                return method;
            }
        }
        return null;
    }

    private static Object invoke(Method method, Object self, Object... arguments) {
        try {
            method.setAccessible(true);
            return method.invoke(self, arguments);
        } catch (InvocationTargetException exception) {
            throw FregePlayer.<RuntimeException>as(exception.getCause());
        } catch (IllegalAccessException hidden) {
            throw new IllegalStateException(hidden);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T as(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
