package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.core.filter.PowerFailure;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.autoconfigure.Operator;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Processes that find a filter that was open when the machine went down. */
@ExtendWith(OutputCaptureExtension.class)
class PowerFailureTest extends ProcessesTest {

    private static final String HOLD_BACK = "fbf.after-power-failure=hold-back";
    private static final String WARNING = "the filter may lack the operations of the last minute before that";

    @BeforeEach
    void prepare() {
        assumeTrue(PowerFailure.canBeTold());
        FbfSchema.migrate(dataSource, null);
    }

    @Tag("slow")
    @Test
    void byDefaultItWarnsAndGoesOn(CapturedOutput output) throws IOException {
        countAndLosePower();

        try (CountingApp app = start("second")) {
            assertThat(output).contains(WARNING);
            assertThat(app.status.areReady()).isTrue();
            assertThat(app.counter.count("b")).isEqualTo("counted");
        }
    }

    @Test
    void toldToHoldBackItAppliesNothingNorDoesTheNextProcess(CapturedOutput output) throws IOException {
        countAndLosePower(HOLD_BACK);

        for (int process = 1; process <= 2; process++) {
            try (CountingApp app = start("second", HOLD_BACK)) {
                assertThat(app.status.areReady()).isFalse();
                for (String key : new String[] {"a", "b"}) {
                    assertUnavailable(() -> app.counter.count(key))
                            .withMessageContaining("operations are held back for ")
                            .satisfies(e -> assertThat(e.retryAfter()).isPositive());
                }
                assertThat(Operator.health(app).getDetails().get("obstacles"))
                        .asString()
                        .contains("The filter may lack operations after a power failure");
            }
        }
        assertThat(output.getAll().split(WARNING, -1)).hasSize(2);
        assertThat(counted.value()).isEqualTo(1);
    }

    /** The next process finds the directory as it is with one operation applied. */
    private void countAndLosePower(String... properties) throws IOException {
        try (CountingApp app = start("first", properties)) {
            app.counter.count("a");
            die("first", "second");
        }
        PowerFailure.hit(directory.resolve("second").resolve("counter~1.fbf"));
    }
}
