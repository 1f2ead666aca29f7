package zombie;

import java.util.Objects;

/** Who stands somewhere: a name (the bot's, or those of {@link Dead}) and a number unique in the match. */
public class PlayerId {
    private final String name;
    private final int number;

    public PlayerId(String name, int number) {
        this.name = name;
        this.number = number;
    }

    public String getName() {
        return name;
    }

    public int getNumber() {
        return number;
    }

    @Override
    public int hashCode() {
        return 19 * (19 * 7 + Objects.hashCode(name)) + number;
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        PlayerId id = (PlayerId) other;
        return number == id.number && Objects.equals(name, id.name);
    }

    @Override
    public String toString() {
        return "PlayerId{name='" + name + "', number=" + number + "}";
    }
}
