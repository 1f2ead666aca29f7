package zombie;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is the same for all players of a match, and the identities in it. */
final class Sight {
    final int vision;
    final int width;
    final int shootRange;
    final int side;

    private final String[] names;
    private final Map<String, Integer> lowBytes = new HashMap<>();
    /** By number: an identity is the same object each time it is seen. */
    private PlayerId[] known = new PlayerId[1024];

    Sight(int vision, int shootRange, int side, List<?> bots) {
        this.vision = vision;
        this.width = 2 * vision + 1;
        this.shootRange = shootRange;
        this.side = side;
        names = new String[bots.size() + 3];
        names[1] = Dead.ZOMBIENAME;
        names[2] = Dead.DEADBODYNAME;
        for (int i = 0; i < bots.size(); i++) {
            names[i + 3] = (String) bots.get(i);
        }
        for (int low = 1; low < names.length; low++) {
            lowBytes.put(names[low], low);
        }
    }

    /** The identity with this code (number and low byte); null for 0. */
    PlayerId who(int code) {
        if (code == 0) {
            return null;
        }
        int number = code >>> 8;
        String name = names[code & 0xFF];
        if (number >= known.length) {
            known = Arrays.copyOf(known, Math.max(number + 1, 2 * known.length));
        }
        PlayerId id = known[number];
        if (id == null || !id.getName().equals(name)) {
            id = known[number] = new PlayerId(name, number);
        }
        return id;
    }

    /** The code of an identity; 0 for what is none. */
    int code(PlayerId id) {
        Integer low = id == null ? null : lowBytes.get(id.getName());
        boolean possible = low != null && id.getNumber() >= 0 && id.getNumber() < 1 << 24;
        return possible ? (id.getNumber() << 8) + low : 0;
    }
}
