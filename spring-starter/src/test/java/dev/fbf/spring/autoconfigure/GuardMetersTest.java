package dev.fbf.spring.autoconfigure;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.filter.OpenFilter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** What the meters say, while operations are applied and in doubt. */
@GuardedApp(modes = Mode.FILTER, beans = GuardMetersTest.Beans.class, properties = GuardMetersTest.SETTLE_TIMEOUT)
class GuardMetersTest extends CountingAppTest {

    static final String SETTLE_TIMEOUT = "test.settle-timeout=300ms";

    private final MeterRegistry meters = new SimpleMeterRegistry();

    @BeforeEach
    void bind() {
        Operator.bind(app, meters);
    }

    @Test
    void aScopeTellsWhatItWasPlannedForAndHowItIsDoing() {
        for (int i = 0; i < 50; i++) {
            counter.count("key " + i);
        }
        meters.clear();
        Operator.bind(app, meters); // looks now, not a second later

        assertThat(gauge("fbf.filter.fpp.target")).isEqualTo(1e-9);
        assertThat(gauge("fbf.filter.fpp.estimated")).isLessThan(1e-9);
        assertThat(gauge("fbf.filter.size")).isEqualTo((double)
                OpenFilter.of(app.status.all().get(0)).plan().bytes());
        assertThat(gauge("fbf.claims")).isZero();
    }

    @Test
    void incrementsTellHowManyWereCommittedTogetherAndHowLongThatTook() {
        SqlCounters counters = app.bean(SqlCounters.class);
        for (int i = 0; i < 3; i++) {
            counters.increment(IdempotencyKey.of("key" + i), "home", 1);
        }

        await().untilAsserted(() -> {
            assertThat(meters.get("fbf.group.size")
                            .tag("scope", "counters")
                            .summary()
                            .totalAmount())
                    .isEqualTo(3);
            assertThat(meters.get("fbf.group.wait").timer().count()).isEqualTo(3);
            assertThat(meters.get("fbf.group.commit").timer().count()).isEqualTo(3);
        });
        assertThat(meters.get("fbf.group.commit").timer().totalTime(TimeUnit.NANOSECONDS))
                .isPositive();
        assertThat(meters.get("fbf.group.waiting").gauge().value()).isZero();
    }

    @Test
    void aTransactionInDoubtIsThereUntilItIsSettled() {
        dataSource.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        assertUnavailable(() -> counter.count("a"));

        assertThat(inDoubt()).isEqualTo(1);
        assertThat(gauge("fbf.claims")).isEqualTo(1);
        dataSource.reconnect();

        await().until(() -> inDoubt() == 0);
        assertThat(gauge("fbf.claims")).isZero();
    }

    @Test
    void aScopeThatIsOpenedByItsFirstCallHasMetersFromThenOn() {
        assertThat(meters.find("fbf.claims").tag("scope", "late").gauge()).isNull();

        app.bean(Late.class).pass("a");

        assertThat(meters.find("fbf.claims").tag("scope", "late").gauge()).isNotNull();
    }

    private double gauge(String name) {
        return meters.get(name).tag("scope", "counter").gauge().value();
    }

    private double inDoubt() {
        return meters.get("fbf.transactions.in.doubt")
                .tag("database", "transactions")
                .gauge()
                .value();
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        @Lazy
        static Late late() {
            return new Late();
        }
    }

    static class Late {

        @IdempotentIncrement(scope = "late", key = "#key")
        void pass(String key) {}
    }
}
