package alien;

import planet.Specie;

/**
 * A species. Extend it in a public class with a constructor without arguments, in the package {@code alien}.
 *
 * <p>There is an object for each of the 100 instances; what is static is shared by all of them.
 */
public abstract class Alien extends Specie {
    /** How it is seen by others. */
    @Override
    public final char getRepresentedChar() {
        return 'A';
    }
}
