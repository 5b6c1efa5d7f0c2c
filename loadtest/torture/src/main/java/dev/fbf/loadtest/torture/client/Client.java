package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.torture.client.Attempt.Kind;
import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Begins operations and resends each until it is acknowledged; now and then out of turn, twice at once, or once more after that. */
final class Client implements Runnable {

    private static final int LONGEST_PAUSE_MILLIS = 150;

    /** Of an application that is down, each client asks about once a second. */
    private static final int MOST_DOUBLINGS = 4;

    private static final int LONGEST_DELAY_MILLIS = 500;
    private static final int LONGEST_REPLAY_MILLIS = 3_000;
    private static final int IMPATIENCE_MILLIS = 15;

    private final Fleet fleet;
    private final int number;
    private final History.Log log;
    private final SplittableRandom random;
    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::at));
    private int failures;

    Client(Fleet fleet, int number, History.Log log, SplittableRandom random) {
        this.fleet = fleet;
        this.number = number;
        this.log = log;
        this.random = random;
    }

    @Override
    public void run() {
        try {
            while (!fleet.hasEnded() && (fleet.isBeginning() || !due.isEmpty())) {
                Due next = due.peek();
                if (next != null && (next.at() - now() <= 0 || isDropped(next))) {
                    due.remove();
                    send(next);
                } else if (mayBegin() && fleet.takeTurn()) {
                    begin();
                } else {
                    LockSupport.parkNanos(
                            Math.min(nanosUntil(next), mayBegin() ? fleet.nanosUntilTurn() : Long.MAX_VALUE));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean mayBegin() {
        return fleet.isBeginning() && due.size() < fleet.traffic.unfinished();
    }

    /** The others are what {@link Fleet#finish} waits for. */
    private boolean isDropped(Due request) {
        return request.kind() == Kind.REPLAY && !fleet.isBeginning();
    }

    private long nanosUntil(@Nullable Due next) {
        return next == null ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(next.at() - now());
    }

    private int now() {
        return fleet.history.millis();
    }

    private boolean chance(double share) {
        return random.nextDouble() < share;
    }

    private void begin() throws InterruptedException {
        int now = now();
        fleet.begun.increment();
        Due first = new Due(log.begin(), now, now, Kind.FIRST);
        if (chance(Traffic.DELAYED)) {
            due.add(first.again(now + random.nextInt(LONGEST_DELAY_MILLIS), Kind.FIRST));
        } else if (chance(Traffic.TWINS)) {
            Exchange one = exchange(first.again(now, Kind.TWIN));
            Exchange other = exchange(first.again(now, Kind.TWIN));
            Attempt outcome = await(one);
            Attempt outcomeOfOther = await(other);
            settle(one.request, outcome.outcome() == Outcome.ACKNOWLEDGED ? outcome : outcomeOfOther, other);
        } else {
            send(first);
        }
    }

    private void send(Due request) throws InterruptedException {
        if (isDropped(request)) {
            return;
        }
        if (now() - request.begun() > fleet.traffic.resent().toMillis()) {
            if (request.kind() != Kind.REPLAY) {
                fleet.abandoned.increment();
            }
            return;
        }
        Exchange exchange = exchange(request);
        settle(request, await(exchange), exchange);
    }

    /** Decides when the operation is sent again. */
    private void settle(Due request, Attempt last, Exchange exchange) {
        if (request.kind() == Kind.REPLAY) {
            return;
        }
        if (last.outcome() == Outcome.ACKNOWLEDGED) {
            fleet.acknowledged.increment();
            if (chance(Traffic.REPLAYS)) {
                due.add(request.again(now() + random.nextInt(LONGEST_REPLAY_MILLIS), Kind.REPLAY));
            }
        } else {
            int longest = LONGEST_PAUSE_MILLIS << Math.min(failures, MOST_DOUBLINGS);
            int pause = 1 + random.nextInt(longest) + exchange.retryAfterMillis();
            due.add(request.again(now() + pause, Kind.RETRY));
        }
    }

    private Exchange exchange(Due request) {
        long operation = Operations.number(number, request.index());
        String path = fleet.operations.path(operation);
        String key = fleet.operations.key(operation).toString();
        return new Exchange(
                request,
                now(),
                Http.send(
                        chance(Traffic.NEW_CONNECTION)
                                ? Http.lastPost(fleet.port, path, key)
                                : Http.post(fleet.port, path, key)));
    }

    /** Waits for the end of a request, and writes it down. */
    private Attempt await(Exchange exchange) throws InterruptedException {
        Duration timeout = chance(Traffic.IMPATIENT)
                ? Duration.ofMillis(1 + random.nextInt(IMPATIENCE_MILLIS))
                : fleet.traffic.timeout();
        Outcome outcome;
        try {
            outcome = Outcome.of(exchange.response
                    .get(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .statusCode());
        } catch (TimeoutException e) {
            exchange.response.cancel(true);
            outcome = Outcome.TIMED_OUT;
        } catch (ExecutionException e) {
            boolean connected =
                    !(e.getCause() instanceof ConnectException || e.getCause() instanceof HttpConnectTimeoutException);
            outcome = connected ? Outcome.CUT : Outcome.NOT_CONNECTED;
        }
        int status = exchange.answer().map(HttpResponse::statusCode).orElse(0);
        failures = status == 0 ? failures + 1 : 0;
        Attempt attempt = new Attempt(
                exchange.request.index(),
                exchange.start,
                now() - exchange.start,
                status,
                outcome,
                exchange.request.kind(),
                exchange.isReplayed());
        log.add(attempt);
        return attempt;
    }

    private record Exchange(Due request, int start, CompletableFuture<HttpResponse<String>> response) {

        Optional<HttpResponse<String>> answer() {
            return response.isCompletedExceptionally() ? Optional.empty() : Optional.ofNullable(response.getNow(null));
        }

        boolean isReplayed() {
            return answer().flatMap(answer -> answer.headers().firstValue("Idempotent-Replayed"))
                    .filter("true"::equals)
                    .isPresent();
        }

        int retryAfterMillis() {
            long seconds = answer().flatMap(answer -> answer.headers().firstValue("Retry-After"))
                    .map(Long::parseLong)
                    .orElse(0L);
            return (int) Math.min(1_000 * seconds, Traffic.LONGEST_RETRY_AFTER.toMillis());
        }
    }

    /** A request that is due at a time, in milliseconds of the history. */
    private record Due(int index, int begun, int at, Kind kind) {

        Due again(int time, Kind why) {
            return new Due(index, begun, time, why);
        }
    }
}
