package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A database at whose port no server listens. */
class ReachabilityTest {

    private long now;
    private Runnable whileConnecting = () -> {};

    @SuppressWarnings("serial")
    private final PGSimpleDataSource dataSource = new PGSimpleDataSource() {

        @Override
        public Connection getConnection() throws SQLException {
            whileConnecting.run();
            return super.getConnection();
        }
    };

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
        pass(9);
        reachability.check();
        pass(3);

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
        AtomicReference<String> obstacle = new AtomicReference<>();
        whileConnecting = () -> {
            pass(4);
            obstacle.set(reachability.obstacle());
        };

        reachability.check();

        assertThat(obstacle.get()).contains("for 4 s", "no response yet");
    }

    @Test
    void operationsThatAreCommittedWhileChecksGetNoConnectionShowThatTheDatabaseResponds() {
        reachability.check();
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
