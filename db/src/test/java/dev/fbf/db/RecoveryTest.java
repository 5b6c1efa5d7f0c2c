package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecoveryTest {

    private static final Duration TOOK = Duration.ofMillis(7);
    private static final Recovery SOME = new Recovery(1, 2, 3, 4, TOOK);

    @Test
    void countsTheOperationsOfATransactionByItsOutcome() {
        assertThat(SOME.plus(TransactionOutcome.COMMITTED, 10)).isEqualTo(new Recovery(11, 2, 3, 4, TOOK));
        assertThat(SOME.plus(TransactionOutcome.NOT_COMMITTED, 10)).isEqualTo(new Recovery(1, 12, 3, 4, TOOK));
        assertThat(SOME.plus(TransactionOutcome.UNKNOWN, 10)).isEqualTo(new Recovery(1, 2, 13, 4, TOOK));
        assertThat(SOME.plus(TransactionOutcome.STILL_RUNNING, 10)).isEqualTo(SOME);
        assertThat(SOME.plusConnectionsEnded(10)).isEqualTo(new Recovery(1, 2, 3, 14, TOOK));
        assertThat(SOME.operations()).isEqualTo(6);
    }

    @Test
    void addsUpWithThatOfAScopeThatIsOpenedLater() {
        assertThat(SOME.plus(new Recovery(10, 20, 30, 40, Duration.ofMillis(1))))
                .isEqualTo(new Recovery(11, 22, 33, 44, Duration.ofMillis(8)));
    }

    @Test
    void takesAsLongAsItIsTold() {
        assertThat(SOME.within(Duration.ofMillis(9))).isEqualTo(new Recovery(1, 2, 3, 4, Duration.ofMillis(9)));
    }
}
