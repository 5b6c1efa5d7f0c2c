package dev.fbf.sample.race;

/** What a contender has done in its turns so far. It is used by one thread. */
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
