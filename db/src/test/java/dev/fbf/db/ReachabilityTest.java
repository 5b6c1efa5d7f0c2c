package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A database at whose port no server listens. */
class ReachabilityTest {

    private final PGSimpleDataSource dataSource = new PGSimpleDataSource();
    private long now;
    private final Reachability reachability = new Reachability("orders", dataSource, () -> now);

    @BeforeEach
    void start() {
        dataSource.setPortNumbers(new int[] {1});
        reachability.start((connection, failed) -> {});
    }

    @AfterEach
    void close() {
        reachability.close();
    }

    @Test
    void isNoObstacleForAShortTime() {
        pass(3);
        reachability.check();

        assertThat(reachability.obstacle()).isNull();
    }

    @Test
    void tellsTheFailureOfTheLastCheckAndForHowLongNoneSucceeded() {
        reachability.check();
        pass(3);
        reachability.check();
        pass(3);

        assertThat(reachability.obstacle())
                .startsWith("Database orders: operations are refused")
                .contains("for 6 s", "refused. Check that the hostname and port are correct");
    }

    @Test
    void aCheckThatHangsIsAnObstacleToo() {
        pass(4);

        assertThat(reachability.obstacle()).contains("for 4 s", "no response yet");
    }

    @Test
    void operationsThatAreCommittedWhileChecksGetNoConnectionShowThatTheDatabaseResponds() {
        pass(3);
        reachability.committed();
        pass(3);
        assertThat(reachability.obstacle()).isNull();
        pass(3);
        assertThat(reachability.obstacle()).isNotNull();
        reachability.committed();
        assertThat(reachability.obstacle()).isNull();
    }

    private void pass(int seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }
}
