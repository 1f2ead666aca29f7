package zombie;

/** The names of those who are no players any more. */
public final class Dead {
    public static final String ZOMBIENAME = "Zombie";
    public static final String DEADBODYNAME = "DeadBody";

    private Dead() {}
}
