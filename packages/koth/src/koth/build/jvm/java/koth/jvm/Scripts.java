package koth.jvm;

import java.io.Reader;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;

/** Runs an entry's script in the language of the file's ending; the language's runtime is on the class path. */
public final class Scripts {
    private static final int RHINO_ES6 = 200;
    private static final int RHINO_COMPILES = 1;
    private static final String RHINO_HELPERS =
            "function print() { java.lang.System.out.println(Array.prototype.join.call(arguments, ' ')); }\n"
                    + "function println() { print.apply(null, arguments); }\n";

    private Scripts() {}

    /** Evaluate the whole file. */
    public static void run(Path file) throws Exception {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        String name = file.getFileName().toString();
        String ending = name.substring(name.lastIndexOf('.') + 1);
        if (ending.equals("js") && exists("org.mozilla.javascript.Context")) {
            rhino(text, name);
        } else if (ending.equals("clj") && exists("clojure.lang.Compiler")) {
            clojure(text, name);
        } else {
            ScriptEngine engine = new ScriptEngineManager().getEngineByExtension(ending);
            if (engine == null) {
                throw new ClassNotFoundException("no script engine for ." + ending + " on the class path");
            }
            engine.put(ScriptEngine.FILENAME, name);
            engine.eval(text);
        }
    }

    private static boolean exists(String name) {
        try {
            Class.forName(name, false, Thread.currentThread().getContextClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /**
     * Run a script by Rhino's own API: its JSR-223 engine unwraps the values of global variables, so that
     * {@code var Move = Packages.zombie.Move} would hold a plain java.lang.Class without the constants.
     */
    private static void rhino(String text, String name) throws Exception {
        Class<?> type = Class.forName("org.mozilla.javascript.Context");
        Class<?> scriptable = Class.forName("org.mozilla.javascript.Scriptable");
        Class<?> top = Class.forName("org.mozilla.javascript.ImporterTopLevel");
        Object context = type.getMethod("enter").invoke(null);
        type.getMethod("setLanguageVersion", int.class).invoke(context, RHINO_ES6);
        type.getMethod("setOptimizationLevel", int.class).invoke(context, RHINO_COMPILES);
        Object scope = top.getConstructor(type).newInstance(context);
        Method evaluate = type.getMethod(
                "evaluateString", scriptable, String.class, String.class, int.class, Object.class);
        call(evaluate, context, scope, RHINO_HELPERS, "helpers", 1, null);
        call(evaluate, context, scope, text, name, 1, null);
    }

    /** Load a script as Clojure's own tools do: Clojure has no JSR-223 engine. */
    private static void clojure(String text, String name) throws Exception {
        Class.forName("clojure.lang.RT");
        Method load = Class.forName("clojure.lang.Compiler").getMethod("load", Reader.class, String.class, String.class);
        call(load, null, new StringReader(text), name, name);
    }

    private static void call(Method method, Object self, Object... arguments) throws Exception {
        try {
            method.invoke(self, arguments);
        } catch (InvocationTargetException exception) {
            Throwable cause = exception.getCause();
            if (cause instanceof Error) {
                throw (Error) cause;
            }
            throw (Exception) cause;
        }
    }
}
