package zombie;

/** A shot at somebody within range; it costs a bullet whether it hits or not. */
public class Shoot implements Action {
    private final PlayerId target;

    public Shoot(PlayerId target) {
        this.target = target;
    }

    public PlayerId getTarget() {
        return target;
    }

    @Override
    public String toString() {
        return "Shoot{target=" + target + "}";
    }
}
