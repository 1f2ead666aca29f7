package zombie;

/**
 * A bot. Implement it in a public class with a constructor without arguments.
 *
 * <p>One object serves all players of the bot, which are asked in random order: they may talk through its fields.
 */
public interface Player {
    /** What the player of this context does this turn: a {@link Move} or a {@link Shoot}. */
    Action doTurn(PlayerContext context);
}
