package dev.fbf.sample.race;

/** The results of a contender so far. Used by one thread. */
final class Score {

    private final Contender contender;

    private long operations;
    private Turn timed = Turn.none();

    Score(Contender contender) {
        this.contender = contender;
    }

    Contender contender() {
        return contender;
    }

    /**
     * Adds a turn.
     *
     * @param isTimed whether its times count, too
     */
    void add(Turn turn, boolean isTimed) {
        operations += turn.operations();
        if (isTimed) {
            timed = timed.plus(turn);
        }
    }

    Standing standing(long counted) {
        return new Standing(
                contender.name(), operations, counted, timed.perSecond(), timed.millisAt(50), timed.millisAt(99));
    }
}
