package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneListenerTest {

    /** An application can have two meter registries. */
    @Test
    void eachOfSeveralHearsAllEvents() {
        List<String> events = new ArrayList<>();
        LaneListener all = noting("one", events).and(noting("two", events));

        all.ended(3, Duration.ZERO, Duration.ZERO);
        all.conflicted();
        all.outcomeUnknown();
        all.caughtUp(2);

        assertThat(events)
                .containsExactly(
                        "one ended 3",
                        "two ended 3",
                        "one conflicted",
                        "two conflicted",
                        "one unknown",
                        "two unknown",
                        "one caught up 2",
                        "two caught up 2");
    }

    private static LaneListener noting(String name, List<String> events) {
        return new LaneListener() {
            @Override
            public void ended(int size, Duration waited, Duration took) {
                events.add(name + " ended " + size);
            }

            @Override
            public void conflicted() {
                events.add(name + " conflicted");
            }

            @Override
            public void outcomeUnknown() {
                events.add(name + " unknown");
            }

            @Override
            public void caughtUp(int groups) {
                events.add(name + " caught up " + groups);
            }
        };
    }
}
