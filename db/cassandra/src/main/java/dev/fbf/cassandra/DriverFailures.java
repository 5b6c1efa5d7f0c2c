package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.util.Collection;

/** Classification of the driver's errors by their meaning for the statement. */
final class DriverFailures {

    private DriverFailures() {}

    /** Returns whether no replica has received the statement: it was not applied and will not be. */
    static boolean isSurelyNotApplied(DriverException e) {
        return e instanceof QueryValidationException || isNotSent(e);
    }

    /** Returns whether a retry would fail as well, because the statement itself is refused. */
    static boolean isFinal(DriverException e) {
        return e instanceof QueryValidationException;
    }

    private static boolean isNotSent(Throwable e) {
        if (e instanceof AllNodesFailedException failed) {
            return failed.getAllErrors().values().stream()
                    .flatMap(Collection::stream)
                    .allMatch(DriverFailures::isNotSent);
        }
        return e instanceof NodeUnavailableException || e instanceof RequestThrottlingException;
    }
}
