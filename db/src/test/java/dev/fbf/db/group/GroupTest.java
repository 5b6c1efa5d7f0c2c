package dev.fbf.db.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which increments one statement can apply. */
class GroupTest {

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    private final Group group = new Group();

    @ParameterizedTest
    @CsvSource({
        "2, 3, true",
        "-2, -3, true",
        "2, -1, false",
        "2, -3, false",
        "-2, 1, false",
        "-2, 3, false",
        "9223372036854775806, 1, true",
        "9223372036854775806, 2, false",
        "-9223372036854775807, -1, true",
        "-9223372036854775807, -2, false",
        "-9223372036854775808, -9223372036854775808, false"
    })
    void oneFitsIfItAddsToTheCounterWhereTheOthersAddAndTheSumIsInRange(long first, long next, boolean fits) {
        group.add(claims.increment("a", first));

        assertThat(group.fits(claims.increment("a", next))).isEqualTo(fits);
        assertThat(group.fits(claims.increment("b", next))).isTrue();
    }

    @Test
    void theSumOfAllCounts() {
        group.add(claims.increment("a", 1));
        group.add(claims.increment("a", Long.MAX_VALUE - 2));

        assertThat(group.fits(claims.increment("a", 1))).isTrue();
        assertThat(group.fits(claims.increment("a", 2))).isFalse();
    }
}
