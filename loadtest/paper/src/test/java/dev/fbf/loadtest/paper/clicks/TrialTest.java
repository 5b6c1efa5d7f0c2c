package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class TrialTest {

    private final ClickStream stream = ClickStream.generate(1_000, 3, 0.4, 1);

    @Test
    void findsNoErrorInTheTruth() {
        Set<OperationId> seen = new HashSet<>();
        Trial errors = Trial.of(Peer.CAFFEINE, deciding(click -> !seen.add(click)), stream);

        assertThat(errors.lost() + errors.missed()).isZero();
        assertThat(errors.clicks()).isBetween(1_500L, 2_500L);
        assertThat((double) errors.duplicates() / errors.clicks()).isBetween(0.5, 0.8);
    }

    @Test
    void missesAllDuplicatesOfOneThatTakesAllForNew() {
        Trial errors = Trial.of(Peer.CAFFEINE, deciding(click -> false), stream);

        assertThat(errors.lost()).isZero();
        assertThat(errors.missed()).isEqualTo(errors.duplicates()).isPositive();
    }

    @Test
    void losesAllClicksOfOneThatTakesAllForDuplicates() {
        Trial errors = Trial.of(Peer.CAFFEINE, deciding(click -> true), stream);

        assertThat(errors.lost()).isEqualTo(errors.clicks());
        assertThat(errors.missed()).isZero();
    }

    @Test
    void aDuplicateStandsForItsClickThatWasTakenForADuplicate() {
        Map<OperationId, Integer> arrivals = new HashMap<>();
        Trial errors = Trial.of(Peer.CAFFEINE, deciding(click -> arrivals.merge(click, 1, Integer::sum) != 2), stream);

        // of the clicks whose duplicate came
        assertThat(errors.missed()).isZero();
        assertThat(errors.lost()).isBetween(errors.clicks() / 3, errors.clicks() * 2 / 3);
    }

    private static Contender deciding(Predicate<OperationId> rule) {
        return new OneByOne() {
            @Override
            public void advance(int slice) {}

            @Override
            boolean isDuplicate(OperationId click) {
                return rule.test(click);
            }

            @Override
            public long bytes() {
                return 0;
            }
        };
    }
}
