package koth.jvm;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipException;

/**
 * A program that lists the entry classes in folders of classes and jars, without running any code of the classes. A
 * line has a class's name and, after tabs, the numbers of the places that hold the class.
 *
 * <p>Entries are the public classes; if there are none, public nested classes; else classes that are not public.
 *
 * <pre>java koth.jvm.Entries HOST PLACE...</pre>
 */
public final class Entries {
    private static final String ENDING = ".class";

    private Entries() {}

    public static void main(String[] args) throws Exception {
        Host host = (Host) Class.forName(args[0]).getDeclaredConstructor().newInstance();
        List<List<String>> ranks = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        TreeMap<String, String> places = new TreeMap<>();
        for (int i = 1; i < args.length; i++) {
            for (String name : new TreeSet<>(classes(Path.of(args[i])))) {
                places.merge(name, "\t" + (i - 1), String::concat);
            }
        }
        places.forEach((name, numbers) -> {
            int rank = rank(host, name);
            if (rank >= 0) {
                ranks.get(rank).add(name + numbers);
            }
        });
        for (List<String> found : ranks) {
            if (!found.isEmpty()) {
                System.out.println(String.join("\n", found));
                return;
            }
        }
    }

    /** Return 0 for a public class, 1 for a nested class, 2 for a class that is not public; -1: no entry. */
    private static int rank(Host host, String name) {
        try {
            Class<?> type = Class.forName(name, false, Entries.class.getClassLoader());
            if (!host.isEntry(type)) {
                return -1;
            }
            boolean isPublic = Modifier.isPublic(type.getModifiers());
            if (type.getEnclosingClass() == null) {
                return isPublic ? 0 : 2;
            }
            return isPublic && type.isMemberClass() && Modifier.isStatic(type.getModifiers()) ? 1 : -1;
        } catch (LinkageError | ClassNotFoundException unusable) {
            complain(name + ": " + unusable);
            return -1;
        }
    }

    /** Return whether a class is concrete and has a usable constructor without arguments. */
    public static boolean canBeMade(Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers()) || type.isEnum()) {
            return false;
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (constructor.getParameterCount() == 0) {
                return !Modifier.isPrivate(constructor.getModifiers());
            }
        }
        return false;
    }

    private static List<String> classes(Path place) throws IOException {
        List<String> names = new ArrayList<>();
        if (Files.isDirectory(place)) {
            try (var files = Files.walk(place)) {
                files.filter(Files::isRegularFile).forEach(file -> add(names, place.relativize(file).toString()));
            }
        } else {
            try (JarFile jar = new JarFile(place.toFile())) {
                for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                    add(names, entry.getName());
                }
            } catch (ZipException broken) {
                complain(place.getFileName() + ": " + broken.getMessage());
            }
        }
        return names;
    }

    /** Print a message as one line without tabs, whatever text a class has put in: koth reads lines with tabs. */
    private static void complain(String message) {
        System.err.println(message.replaceAll("\\p{Cntrl}", " "));
    }

    private static void add(List<String> names, String file) {
        if (file.chars().anyMatch(Character::isISOControl)) {
            return; // no name that a source can write
        }
        if (file.endsWith(ENDING) && !file.startsWith("META-INF") && !file.endsWith("-info.class")) {
            names.add(file.substring(0, file.length() - ENDING.length()).replace('/', '.').replace('\\', '.'));
        }
    }
}
