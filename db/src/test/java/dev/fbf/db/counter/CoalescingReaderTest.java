package dev.fbf.db.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class CoalescingReaderTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration NOT_LONG = Duration.ofMillis(200);

    private final List<Caller> callers = new ArrayList<>();

    /** Whoever asks for a connection waits for one. */
    private final BlockingQueue<Callable<Connection>> connections = new LinkedBlockingQueue<>();

    private final AtomicInteger asked = new AtomicInteger();

    private CoalescingReader reader = readerWith(TIMEOUT);

    private final CountDownLatch executed = new CountDownLatch(1);
    private final CountDownLatch mayRespond = new CountDownLatch(1);
    private Connection writer;

    /** A thread that reads one counter. */
    private final class Caller extends FutureTask<OptionalLong> {
        private final Thread thread = new Thread(this);

        Caller(String counter) {
            super(() -> reader.value(counter));
            callers.add(this);
            thread.start();
        }
    }

    @BeforeEach
    void makeCounters() throws SQLException {
        writer = database.connect();
        FbfDatabase.execute(writer, "INSERT INTO fbf_counter VALUES ('home', 1), ('about', 2)");
    }

    @AfterEach
    void end() {
        callers.forEach(caller -> caller.thread.interrupt());
    }

    @Test
    void thoseWhoComeWhileAReadIsUnderWayShareTheNext() throws Exception {
        Caller first = callerWhoseReadIsUnderWay();
        List<Caller> others = new ArrayList<>();
        for (String counter : List.of("home", "about", "nowhere", "home", "about")) {
            others.add(callerWhoWaits(counter));
        }
        assertThat(asked).hasValue(1);

        connections.add(database::connect);
        mayRespond.countDown();

        assertThat(first.get()).hasValue(1);
        assertThat(others)
                .extracting(Caller::get)
                .containsExactly(
                        OptionalLong.of(1),
                        OptionalLong.of(2),
                        OptionalLong.empty(),
                        OptionalLong.of(1),
                        OptionalLong.of(2));
        assertThat(asked).hasValue(2);
    }

    @Test
    void whoComesWhileAReadIsUnderWaySeesWhatWasCommittedBefore() throws Exception {
        Caller first = callerWhoseReadIsUnderWay();
        FbfDatabase.COUNTERS.add(writer, "home", 1);
        Caller second = callerWhoWaits("home");

        connections.add(database::connect);
        mayRespond.countDown();

        assertThat(first.get()).hasValue(1);
        assertThat(second.get()).hasValue(2);
    }

    @Test
    void ifTheReadOfOneFailsTheOthersReadForThemselves() throws Exception {
        Caller first = callerWhoseReadIsUnderWay();
        Caller second = callerWhoWaits("home");
        Caller third = callerWhoWaits("about");

        connections.add(() -> {
            throw new SQLException("down", "08001");
        });
        connections.add(database::connect);
        mayRespond.countDown();

        assertThat(first.get()).hasValue(1);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(second::get)
                .withMessageContaining("down");
        assertThat(third.get()).hasValue(2);
    }

    @Test
    void whoIsInterruptedWaitsForNobody() throws Exception {
        Caller first = callerWhoseReadIsUnderWay();
        Caller second = callerWhoWaits("home");
        Caller interrupted = callerWhoWaits("about");

        interrupted.thread.interrupt();

        // it asks for a connection of its own, and its interruption is not forgotten
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(interrupted::get)
                .withRootCauseInstanceOf(InterruptedException.class);
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
    }

    @Test
    void aReadThatHangsHoldsNobodyUpForLongerThanTheTimeout() throws Exception {
        reader = readerWith(NOT_LONG);
        Caller hung = callerWhoseReadIsUnderWay();
        connections.add(database::connect);
        connections.add(database::connect);

        assertThat(new Caller("about").get()).hasValue(2);
        assertThat(new Caller("home").get()).hasValue(1);
        assertThat(hung).isNotDone();
    }

    @Test
    void aCallerWhoSharesAReadThatHangsReadsAlone() throws Exception {
        reader = readerWith(NOT_LONG);
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        connections.add(() -> {
            hanging.countDown();
            end.await();
            return database.connect();
        });
        Caller hung = new Caller("about");
        hanging.await();
        connections.add(database::connect);

        assertThat(new Caller("home").get()).hasValue(1);

        assertThat(hung).isNotDone();
        end.countDown();
        assertThat(hung.get()).hasValue(2);
    }

    @Test
    void aServerThatIsSilentIsGivenUp() throws Exception {
        CoalescingReader impatient = new CoalescingReader(
                StrangeConnections.dataSource(database::connect), FbfDatabase.COUNTERS, Duration.ofSeconds(1));
        Connection tx = database.begin();
        FbfDatabase.execute(tx, "LOCK TABLE fbf_counter");

        assertThatExceptionOfType(SQLTimeoutException.class).isThrownBy(() -> impatient.value("home"));

        tx.rollback();
        assertThat(impatient.value("home")).hasValue(1);
    }

    @Test
    void aNameThatNoCounterCanHaveIsItsCallersMistake() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader.value(""))
                .withMessage("counter=: must have 1 to 255 characters");
        assertThat(connections).isEmpty();
    }

    private CoalescingReader readerWith(Duration timeout) {
        return new CoalescingReader(
                StrangeConnections.dataSource(() -> {
                    asked.incrementAndGet();
                    return connections.take().call();
                }),
                FbfDatabase.COUNTERS,
                timeout);
    }

    private Caller callerWhoWaits(String counter) throws InterruptedException {
        Caller caller = new Caller(counter);
        while (caller.thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        return caller;
    }

    private Caller callerWhoseReadIsUnderWay() throws Exception {
        Connection slow = StrangeConnections.answering(database.connect(), () -> {
            executed.countDown();
            mayRespond.await();
        });
        connections.add(() -> slow);
        Caller caller = new Caller("home");
        executed.await();
        return caller;
    }
}
