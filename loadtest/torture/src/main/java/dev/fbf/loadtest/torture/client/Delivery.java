package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History.Attempt;
import dev.fbf.loadtest.torture.client.History.Kind;
import dev.fbf.loadtest.torture.client.History.Outcome;
import dev.fbf.process.Http;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An operation that is sent, and sent again until it is acknowledged; now and then late, twice at once, or once more after that.
 * Used by one thread at a time.
 */
final class Delivery implements Runnable {

    private static final int LONGEST_PAUSE_MILLIS = 150;

    /** An application that is down is asked about once a second for each operation. */
    private static final int MOST_DOUBLINGS = 4;

    /** How long a client waits after 409 and 503, whatever Retry-After says. */
    private static final int RETRY_AFTER_MILLIS = 250;

    private static final int LONGEST_DELAY_MILLIS = 500;
    private static final int LONGEST_REPLAY_MILLIS = 3_000;
    private static final int IMPATIENCE_MILLIS = 15;

    private final Fleet fleet;
    private final long operation;
    private final int begun;
    private final SplittableRandom random;
    private Kind kind;
    private int failures;

    Delivery(Fleet fleet, long operation) {
        this.fleet = fleet;
        this.operation = operation;
        begun = fleet.history.millis();
        random = new SplittableRandom(fleet.operations.seed() ^ operation * 0x9E3779B97F4A7C15L);
        kind = chance(Traffic.TWINS) ? Kind.TWIN : Kind.FIRST;
    }

    /** How long its first request waits. */
    int delayMillis() {
        return chance(Traffic.DELAYED) ? random.nextInt(LONGEST_DELAY_MILLIS) : 0;
    }

    private boolean chance(double share) {
        return random.nextDouble() < share;
    }

    @Override
    public void run() {
        boolean isLate = fleet.history.millis() - begun > fleet.traffic.resent().toMillis();
        if (kind == Kind.REPLAY) {
            isLate |= !fleet.isBeginning();
        } else if (isLate) {
            fleet.gaveUp();
        }
        try {
            if (!isLate) {
                send();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send() throws InterruptedException {
        boolean isTwin = kind == Kind.TWIN;
        Exchange exchange = exchange();
        Exchange twin = isTwin ? exchange() : exchange;
        Attempt attempt = await(exchange);
        if (isTwin) {
            Attempt other = await(twin);
            attempt = attempt.outcome() == Outcome.ACKNOWLEDGED ? attempt : other;
        }
        if (kind == Kind.REPLAY) {
            return;
        }
        if (attempt.outcome() == Outcome.ACKNOWLEDGED) {
            if (chance(Traffic.REPLAYS)) {
                kind = Kind.REPLAY;
                fleet.later(this, random.nextInt(LONGEST_REPLAY_MILLIS));
            }
            fleet.wasAcknowledged();
        } else {
            failures = attempt.status() == 0 ? Math.min(failures + 1, MOST_DOUBLINGS) : 0;
            kind = Kind.RETRY;
            boolean isAsked = attempt.outcome() == Outcome.IN_PROGRESS || attempt.outcome() == Outcome.UNAVAILABLE;
            int pause = 1 + random.nextInt(LONGEST_PAUSE_MILLIS << failures);
            fleet.later(this, pause + (isAsked ? RETRY_AFTER_MILLIS : 0));
        }
    }

    private Exchange exchange() {
        String path = fleet.operations.path(operation);
        String key = fleet.operations.key(operation).toString();
        HttpRequest request = chance(Traffic.NEW_CONNECTION)
                ? Http.lastPost(fleet.port, path, key)
                : Http.post(fleet.port, path, key);
        return new Exchange(fleet.history.millis(), Http.send(request));
    }

    private record Exchange(int start, CompletableFuture<HttpResponse<String>> response) {}

    /** Waits until a request has ended, and records it. */
    private Attempt await(Exchange exchange) throws InterruptedException {
        Duration timeout = chance(Traffic.IMPATIENT)
                ? Duration.ofMillis(1 + random.nextInt(IMPATIENCE_MILLIS))
                : fleet.traffic.timeout();
        int status = 0;
        Outcome outcome;
        try {
            HttpResponse<String> response = exchange.response.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            status = response.statusCode();
            outcome = Outcome.of(status);
        } catch (TimeoutException e) {
            exchange.response.cancel(true);
            outcome = Outcome.TIMED_OUT;
        } catch (ExecutionException e) {
            boolean connected =
                    !(e.getCause() instanceof ConnectException || e.getCause() instanceof HttpConnectTimeoutException);
            outcome = connected ? Outcome.CUT : Outcome.NOT_CONNECTED;
        }
        int duration = fleet.history.millis() - exchange.start;
        Attempt attempt = new Attempt(operation, exchange.start, duration, status, outcome, kind);
        fleet.history.add(attempt);
        return attempt;
    }
}
