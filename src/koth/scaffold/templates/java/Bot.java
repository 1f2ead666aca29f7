// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A bot in one match. What it prints is kept for its author. */
public final class Bot implements Koth.Bot {
    «choices»
    private final Koth.Json hello;
    private final Random dice;

    Bot(Koth.Json hello) {
        // What holds for the whole match:
        //   «hello»
        this.hello = hello;
        dice = new Random(hello.get("seed").whole());
    }

    @Override
    public Map<String, Object> answer(String name, Koth.Json question) {
        switch (name) {
«questions»
            case "«name»":
                // «about»
                return «answer»;
«end»
            default:
                throw new IllegalArgumentException("no question of this game: " + name);
        }
    }

    private <T> T pick(List<T> values) {
        return values.get(dice.nextInt(values.size()));
    }

    public static void main(String[] arguments) throws IOException {
        Koth.play(Bot::new);
    }
}
