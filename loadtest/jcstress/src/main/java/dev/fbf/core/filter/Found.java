package dev.fbf.core.filter;

import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.Outcome;

/** What comes of the filter's tests: an operation is found for its whole window. */
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
@Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "lost within its window")
final class Found {

    private Found() {}

    /** What comes of a weakened variant. */
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.ACCEPTABLE_INTERESTING, desc = "lost within its window")
    static final class OrLost {

        private OrLost() {}
    }
}
