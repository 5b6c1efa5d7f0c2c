package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.support.StaticMessageSource;

class RetryAfterTest {

    private final HttpContract contract = new HttpContract(new StaticMessageSource(), () -> null);

    @ParameterizedTest
    @CsvSource({"PT0S, 1", "PT0.01S, 1", "PT1S, 1", "PT1.5S, 2", "PT9M58S, 598", "PT1H, 3600", "PT3H, 3600"})
    void isTheTimeThatIsKnownRoundedUpToSecondsFromOneToAnHour(Duration known, String seconds) {
        assertThat(contract.onRefusal(Refusals.heldBack("views", known), Locale.ROOT)
                        .getHeaders()
                        .getFirst("Retry-After"))
                .isEqualTo(seconds);
    }
}
