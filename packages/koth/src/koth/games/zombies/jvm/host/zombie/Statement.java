package zombie;

import java.util.List;

/** The order in which answers count the moves: that of the statement. */
final class Statement {
    static final List<String> ORDER = List.of(
            "NORTHWEST", "NORTH", "NORTHEAST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST");

    private Statement() {}
}
