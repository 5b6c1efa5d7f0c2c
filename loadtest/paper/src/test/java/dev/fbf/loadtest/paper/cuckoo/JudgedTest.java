package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.paper.Claim.Verdict;
import org.junit.jupiter.api.Test;

class JudgedTest {

    @Test
    void aClaimHoldsInPartWhereOneOfItsConditionsIsMet() {
        assertThat(Judged.verdict(true, true)).isEqualTo(Verdict.HOLDS);
        assertThat(Judged.verdict(true, false)).isEqualTo(Verdict.PARTLY);
        assertThat(Judged.verdict(false, true)).isEqualTo(Verdict.PARTLY);
        assertThat(Judged.verdict(false, false)).isEqualTo(Verdict.FAILS);
        assertThat(Judged.verdict(false)).isEqualTo(Verdict.FAILS);
    }
}
