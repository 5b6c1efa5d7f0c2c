package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FailureAnalyses;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.autoconfigure.Operator;
import dev.fbf.spring.operation.StartException;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two applications on one database, each with a directory of its own: replicas, and those that replace them. */
@ExtendWith(OutputCaptureExtension.class)
class SecondNodeTest extends ProcessesTest {

    @BeforeEach
    void migrate() {
        FbfSchema.migrate(dataSource, null);
    }

    @Test
    void aSecondOneInFilterModeDoesNotStartAndSaysWhatToDo() {
        try (CountingApp first = startRenewing("first")) {
            first.counter.count("a");

            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(() -> startRenewing("second"))
                    .satisfies(e -> {
                        FailureAnalysis analysis = FailureAnalyses.of(e);
                        assertThat(analysis.getDescription())
                                .contains("the scope counter")
                                .contains("node " + first.status.nodeId())
                                .contains("process " + ProcessHandle.current().pid())
                                .contains(directory.resolve("first").toString());
                        assertThat(analysis.getAction())
                                .contains("ledger mode", "fbf.schema.name", "fbf.directory")
                                .contains(directory.resolve("second").toString());
                    });

            assertThat(first.counter.count("b")).isEqualTo("counted");
        }
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void oneThatComesAfterAnotherHoldsBackAndSaysWhy(CapturedOutput output) {
        try (CountingApp first = startRenewing("first")) {
            first.counter.count("a");
        }

        try (CountingApp second = startRenewing("second")) {
            assertUnavailable(() -> second.counter.count("a"))
                    .withMessageContaining("operations are held back for ")
                    .satisfies(
                            e -> assertThat(e.retryAfter()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10)));
            assertThat(second.status.areReady()).isFalse();
            assertThat(Operator.health(second))
                    .satisfies(health -> assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE))
                    .satisfies(health -> assertThat(health.getDetails().get("obstacles"))
                            .asString()
                            .contains("retries can arrive of operations that node"));
            assertThat(output.getAll())
                    .containsPattern("Scope counter: operations are refused for (10 min|9 min 5\\d s)\\.");

            pass(Duration.ofMinutes(10));
            await().until(second.status::areReady);
            assertThat(second.counter.count("b")).isEqualTo("counted");
        }
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void oneWhoseLeaseLapsedWithoutItsKnowledgeGivesWayToTheOneThatTookOver(CapturedOutput output) {
        FragileDataSource fragile = new FragileDataSource(dataSource);
        try (CountingApp first = startRenewing(fragile, "first")) {
            fragile.cutOff();
            await().untilAsserted(() -> assertThat(output).contains("cannot be written now"));
            pass(Duration.ofHours(1));
            try (CountingApp second = startRenewing("second")) {
                fragile.reconnect();
                await().until(() -> !first.status.areReady() || !second.status.areReady());
                await().until(() -> !first.status.obstacles().isEmpty());
                assertThat(second.counter.count("a")).isEqualTo("counted");
                assertUnavailable(() -> first.counter.count("a"));
            }
        }
    }

    private CountingApp startRenewing(String name, String... properties) {
        return startRenewing(dataSource, name, properties);
    }

    private CountingApp startRenewing(DataSource database, String name, String... properties) {
        String[] all = Stream.concat(Stream.of("test.renewal=100ms"), Stream.of(properties))
                .toArray(String[]::new);
        return start(database, name, all);
    }

    private void pass(Duration time) {
        JdbcClient.create(dataSource)
                .sql("UPDATE fbf_lease SET seen_at = seen_at - :time"
                        .replace(":time", "interval '" + time.toSeconds() + " seconds'"))
                .update();
    }
}
