package koth.jvm;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The process of a JVM bot.
 *
 * <pre>java koth.jvm.BotAdapter HOST class NAME
 * java koth.jvm.BotAdapter HOST script FILE NAME</pre>
 *
 * The protocol is on descriptors 3 and 4. Before the bot's classes are loaded, 0 is made empty and 1 becomes stderr.
 */
public final class BotAdapter {
    private BotAdapter() {}

    public static void main(String[] args) throws Exception {
        Frames frames = new Frames(3, 4);
        LastWords lastWords = new LastWords(frames);
        String doing = "";
        try {
            Frames.Frame hello = frames.receive();
            if (hello == null) {
                lastWords.matchIsOver();
            }
            Map<?, ?> message = (Map<?, ?>) Json.parse(new String(hello.payload, StandardCharsets.UTF_8));
            Map<String, Object> matchInfo = matchInfo(message);
            seedMath(((Number) matchInfo.get("seed")).longValue());
            doing = "could not be started: ";
            Host host = (Host) Class.forName(args[0]).getDeclaredConstructor().newInstance();
            Troubles.hostIs(host.getClass());
            host.start(matchInfo, Entry.of(Arrays.copyOfRange(args, 1, args.length)));
            doing = "";
            frames.say(Frames.HELLO, new byte[0]);
            Watch watch = new Watch(number(matchInfo, "seconds"), number(matchInfo, "bank"));
            try {
                watch.start();
            } catch (OutOfMemoryError none) {
                System.err.println("no thread was left for koth: hangs of the bot will not be located");
            }
            serve(frames, host, Spec.of((List<?>) message.get("questions")), watch, matchInfo);
            lastWords.matchIsOver();
        } catch (Throwable thrown) {
            lastWords.endedBy(thrown, doing);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> matchInfo(Map<?, ?> message) {
        return (Map<String, Object>) message.get("facts");
    }

    private static double number(Map<String, Object> matchInfo, String name) {
        return matchInfo.get(name) instanceof Number ? ((Number) matchInfo.get(name)).doubleValue() : 0;
    }

    private static void serve(Frames frames, Host host, List<Spec> specs, Watch watch, Map<String, Object> matchInfo)
            throws Exception {
        double bank = number(matchInfo, "bank");
        int strikes = (int) number(matchInfo, "strikes");
        while (true) {
            Frames.Frame frame = frames.receive();
            if (frame == null || frame.kind == Frames.BYE) {
                return;
            }
            Call call = new Call(
                    specs.get(frame.kind - 1), frame.rows, frame.payload,
                    Math.max(0, bank - frame.used / 10.0), Math.max(0, strikes - frame.strikes));
            watch.begin(frame.used);
            host.answer(call);
            watch.end();
            frames.send(call.frame(frame.number, frame.kind));
        }
    }

    /** Seed Math.random(), so that its numbers repeat with the bot's seed. */
    private static void seedMath(long seed) throws ReflectiveOperationException {
        Class<?> holder = Class.forName("java.lang.Math$RandomNumberGeneratorHolder");
        Field field = holder.getDeclaredField("randomNumberGenerator");
        field.setAccessible(true);
        ((Random) field.get(null)).setSeed(seed);
    }
}
