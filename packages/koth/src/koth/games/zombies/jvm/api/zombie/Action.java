package zombie;

/** What a player does in a turn: a {@link Move} or a {@link Shoot}. Don't implement it. */
public interface Action {}
