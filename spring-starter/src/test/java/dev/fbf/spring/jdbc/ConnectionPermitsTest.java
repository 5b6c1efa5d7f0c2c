package dev.fbf.spring.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.ConcurrentCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ConnectionPermitsTest {

    private final ConnectionPermits permits = new ConnectionPermits(4, () -> Duration.ofMinutes(5));
    private final ConnectionPermits.Share one = permits.share("one");

    @Test
    void oneConnectionIsLeftForFbf() {
        take(one, 3);

        assertThat(one.tryAcquire()).isNull();
    }

    @Test
    void theOnlyConnectionHasAPermit() {
        assertThat(new ConnectionPermits(1, () -> Duration.ZERO).share("one").tryAcquire())
                .isNotNull();
    }

    @Test
    void aScopeLeavesOneForAnotherScope() {
        ConnectionPermits.Share other = permits.share("other");
        take(one, 2);

        assertThat(one.tryAcquire()).isNull();
        assertThat(other.tryAcquire()).isNotNull();
    }

    @Test
    void aScopeThatMayHaveNoMoreDelaysNoOther() throws Exception {
        ConnectionPermits.Share other = permits.share("other");
        ConnectionPermits.Permit held = take(one, 2).get(0);
        CompletableFuture<String> waiting = acquire(one);

        assertThat(requireNonNull(other.acquire())).isNotNull();
        assertThat(waiting).isNotDone();
        held.close();
        assertThat(waiting.get()).isNotNull();
    }

    @Test
    void theScopeWithTheFewestIsServedFirst() throws Exception {
        ConnectionPermits.Share other = permits.share("other");
        ConnectionPermits.Share third = permits.share("third");
        ConnectionPermits.Permit held = take(one, 2).get(0);
        take(other, 1);
        ConcurrentLinkedQueue<String> served = new ConcurrentLinkedQueue<>();
        CompletableFuture<String> first = ConcurrentCall.startAndAwaitWaiting(() -> served(served, "one", one));
        CompletableFuture<String> second = ConcurrentCall.startAndAwaitWaiting(() -> served(served, "third", third));

        held.close();
        second.get();
        first.get();

        assertThat(served).containsExactly("third", "one");
    }

    private static String served(ConcurrentLinkedQueue<String> served, String name, ConnectionPermits.Share share) {
        try (ConnectionPermits.Permit permit = requireNonNull(share.acquire())) {
            served.add(name);
            return permit.getClass().getSimpleName();
        }
    }

    @Test
    void aReturnedPermitIsFreeForAThreadThatComes() throws Exception {
        ConnectionPermits.Share share = overtakenFor(Duration.ofMinutes(5)).share("one");
        List<ConnectionPermits.Permit> held = take(share, 3);
        AtomicBoolean acquired = new AtomicBoolean();
        Thread waiting = new Thread(() -> acquired.set(share.acquire() != null));
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        held.get(0).close();

        assertThat(share.tryAcquire()).isNotNull();
        waiting.interrupt();
        waiting.join();
        assertThat(acquired).isFalse();
    }

    @Test
    void aThreadThatIsOverdueIsNotOvertaken() throws Exception {
        ConnectionPermits.Share share = overtakenFor(Duration.ZERO).share("one");
        ConnectionPermits.Permit held = take(share, 3).get(0);
        CompletableFuture<String> waiting = acquire(share);

        held.close();

        assertThat(share.tryAcquire()).isNull();
        assertThat(waiting.get()).isEqualTo("acquired");
    }

    /** Even if the overdue thread's scope may have no more. */
    @Test
    void aThreadThatComesWhileAnotherIsOverdueQueues() throws Exception {
        ConnectionPermits permits = overtakenFor(Duration.ZERO);
        ConnectionPermits.Share share = permits.share("one");
        ConnectionPermits.Share other = permits.share("other");
        ConnectionPermits.Permit held = take(share, 2).get(0);
        CompletableFuture<String> waiting = acquire(share);

        assertThat(other.tryAcquire()).isNull();
        assertThat(other.acquire()).isNotNull();
        held.close();
        assertThat(waiting.get()).isEqualTo("acquired");
    }

    /** No other thread wakes it: it is not overdue when the permit is returned. */
    @Test
    void aWaitingThreadTakesAPermitThatWasReturnedMeanwhile() throws Exception {
        ConnectionPermits.Share share = overtakenFor(Duration.ofMillis(400)).share("one");
        ConnectionPermits.Permit held = take(share, 3).get(0);
        CompletableFuture<String> waiting = acquire(share);

        held.close();

        assertThat(waiting.get()).isEqualTo("acquired");
    }

    private static ConnectionPermits overtakenFor(Duration overtaken) {
        return new ConnectionPermits(4, () -> Duration.ofMinutes(5), overtaken);
    }

    @Test
    void thereIsNoneAfterTheTimeout() {
        ConnectionPermits.Share impatient = new ConnectionPermits(2, () -> Duration.ofMillis(1)).share("one");
        take(impatient, 1);

        assertThat(impatient.acquire()).isNull();
    }

    /** None is lost, and no thread sleeps while there is one: this test would not end. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void manyThreadsGetAPermitEachAndNeverMoreThanThereAre(int overtakenMillis) {
        ConnectionPermits permits = overtakenFor(Duration.ofMillis(overtakenMillis));
        ConnectionPermits.Share one = permits.share("one");
        ConnectionPermits.Share other = permits.share("other");
        AtomicInteger held = new AtomicInteger();
        AtomicInteger ofOne = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger mostOfOne = new AtomicInteger();
        List<CompletableFuture<String>> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            boolean first = i % 4 != 0;
            threads.add(ConcurrentCall.start(() -> {
                for (int times = 0; times < 5_000; times++) {
                    ConnectionPermits.Share share = first ? one : other;
                    ConnectionPermits.Permit permit = share.tryAcquire();
                    permit = permit == null ? requireNonNull(share.acquire()) : permit;
                    most.accumulateAndGet(held.incrementAndGet(), Math::max);
                    if (first) {
                        mostOfOne.accumulateAndGet(ofOne.incrementAndGet(), Math::max);
                    }
                    if (times % 64 == 0) {
                        LockSupport.parkNanos(1);
                    }
                    if (first) {
                        ofOne.decrementAndGet();
                    }
                    held.decrementAndGet();
                    permit.close();
                }
                return "done";
            }));
        }
        threads.forEach(CompletableFuture::join);

        assertThat(most.get()).isBetween(2, 3);
        assertThat(mostOfOne.get()).isBetween(1, 2);
        take(one, 2);
        take(other, 1);
    }

    private static List<ConnectionPermits.Permit> take(ConnectionPermits.Share share, int permits) {
        List<ConnectionPermits.Permit> taken = new ArrayList<>();
        for (int i = 0; i < permits; i++) {
            taken.add(requireNonNull(share.tryAcquire()));
        }
        return taken;
    }

    private static CompletableFuture<String> acquire(ConnectionPermits.Share share) {
        return ConcurrentCall.startAndAwaitWaiting(() -> {
            requireNonNull(share.acquire());
            return "acquired";
        });
    }
}
