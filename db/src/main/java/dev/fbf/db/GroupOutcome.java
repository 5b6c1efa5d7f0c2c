package dev.fbf.db;

import dev.fbf.core.guard.Refusal;
import dev.fbf.core.guard.WitnessedTransaction;
import org.jspecify.annotations.Nullable;

/** How an operation came out that was to be applied together with others. */
public sealed interface GroupOutcome {

    /**
     * It was applied, and is remembered.
     *
     * @param value the counter's value that it made
     */
    record Applied(long value) implements GroupOutcome {}

    /**
     * It was not applied by this call; its claim has ended.
     *
     * @param why {@link Refusal#APPLIED} if another process had applied it before, and now it is remembered here too
     */
    record Refused(Refusal why) implements GroupOutcome {}

    /**
     * It was not applied, because that cannot be done.
     *
     * @param reason what the database or its driver said
     */
    record Failed(Throwable reason) implements GroupOutcome {}

    /**
     * Nobody knows.
     *
     * @param reason why its COMMIT got no response; null if that may come yet
     * @param transaction what the witness settles; null if a ledger will tell, or the response may come yet
     */
    record Unknown(@Nullable Throwable reason, @Nullable WitnessedTransaction transaction) implements GroupOutcome {

        /** It is being applied. */
        static final Unknown YET = new Unknown(null, null);
    }
}
