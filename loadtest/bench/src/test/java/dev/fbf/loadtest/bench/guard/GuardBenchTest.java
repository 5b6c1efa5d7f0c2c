package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GuardBenchTest {

    @Test
    void aGuardedContenderWithAWrongCounterFails() {
        assertThat(GuardBench.failures(Map.of(GuardContender.LEDGER, 2L, GuardContender.FILTER, 0L)))
                .singleElement()
                .asString()
                .startsWith("LEDGER: 2 ");
        assertThat(GuardContender.LEDGER.isGuarded()).isTrue();
        assertThat(GuardContender.UPDATE.isGuarded()).isFalse();
    }
}
