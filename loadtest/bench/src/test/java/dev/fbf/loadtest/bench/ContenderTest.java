package dev.fbf.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContenderTest {

    @ParameterizedTest
    @EnumSource
    void findsWhatWasPutAndIsSeldomWrong(Contender contender) throws Exception {
        try (OperationFilter filter = contender.filled(1 << 18)) {
            OperationId put = new OperationId(1, 2);
            filter.put(put);
            assertThat(filter.mightContain(put)).isTrue();

            SplittableRandom absent = new SplittableRandom(2);
            int wrong = 0;
            for (int i = 0; i < 100_000; i++) {
                wrong += filter.mightContain(OperationFilter.draw(absent)) ? 1 : 0;
            }
            // as planned: one in a thousand, or less
            assertThat(wrong).isLessThan(150);
        }
    }
}
