package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.util.Collection;

/** The meaning of the driver's errors for a statement. */
final class DriverFailures {

    private DriverFailures() {}

    /** Whether no replica has got the statement, so that it was not applied and will not be. */
    static boolean isSurelyNotApplied(DriverException e) {
        return e instanceof QueryValidationException || isNotSent(e);
    }

    /** Whether a later try would fail as well: the statement is refused as it is. */
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
