package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.torture.client.Attempt.Kind;
import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.HttpConnection.Response;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Begins operations and resends each until it is acknowledged; now and then out of turn, twice at once, or once more after that. */
final class Client implements Runnable {

    private static final int MOST_UNFINISHED = 64;
    private static final int LONGEST_PAUSE_MILLIS = 150;
    /** Of an application that is down, each client asks about once a second. */
    private static final int MOST_DOUBLINGS = 4;

    private static final int LONGEST_DELAY_MILLIS = 500;
    private static final int LONGEST_REPLAY_MILLIS = 3_000;
    private static final int IMPATIENCE_MILLIS = 15;
    private static final Duration IDLE = Duration.ofMillis(1);

    private final Fleet fleet;
    private final int number;
    private final ClientLog log;
    private final SplittableRandom random;
    /** For how long after its first request an operation is. */
    private final Duration resent;

    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::at));
    private @Nullable HttpConnection connection;
    private int failures;

    Client(Fleet fleet, int number, ClientLog log, SplittableRandom random) {
        this.fleet = fleet;
        this.number = number;
        this.log = log;
        this.random = random;
        this.resent = fleet.traffic().window().minus(Traffic.LONGEST_ON_THE_WAY);
    }

    @Override
    public void run() {
        try {
            while (!fleet.hasEnded() && (fleet.isBeginning() || !due.isEmpty())) {
                Due next = due.peek();
                if (next != null && next.at() - fleet.history().millis() <= 0) {
                    due.remove();
                    send(next);
                } else if (fleet.isBeginning() && due.size() < MOST_UNFINISHED && fleet.takeTurn()) {
                    begin();
                } else {
                    TimeUnit.NANOSECONDS.sleep(IDLE.toNanos());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private void begin() {
        int now = fleet.history().millis();
        fleet.begunOne();
        Due first = new Due(log.begin(), now, now, Kind.FIRST);
        if (chance(Traffic.DELAYED)) {
            due.add(first.again(now + random.nextInt(LONGEST_DELAY_MILLIS), Kind.FIRST));
        } else if (chance(Traffic.TWINS)) {
            sendTwins(first);
        } else {
            send(first);
        }
    }

    private void send(Due request) {
        int now = fleet.history().millis();
        if (request.kind() == Kind.REPLAY && !fleet.isBeginning()) {
            return;
        }
        if (now - request.begun() > resent.toMillis()) {
            if (request.kind() != Kind.REPLAY) {
                fleet.abandonedOne();
            }
            return;
        }
        Exchange exchange = new Exchange(request);
        exchange.send(takeConnection());
        settle(request, exchange.receive());
    }

    private void sendTwins(Due request) {
        Exchange one = new Exchange(request.again(request.at(), Kind.TWIN));
        Exchange other = new Exchange(request.again(request.at(), Kind.TWIN));
        one.send(takeConnection());
        other.send(null);
        Answered first = one.receive();
        Answered second = other.receive();
        settle(request, first.acknowledged() ? first : second);
    }

    private void settle(Due request, Answered answered) {
        int now = fleet.history().millis();
        if (answered.acknowledged()) {
            if (request.kind() != Kind.REPLAY) {
                fleet.acknowledgedOne();
                if (chance(Traffic.REPLAYS)) {
                    due.add(request.again(now + random.nextInt(LONGEST_REPLAY_MILLIS), Kind.REPLAY));
                }
            }
        } else if (request.kind() != Kind.REPLAY) {
            int longest = LONGEST_PAUSE_MILLIS << Math.min(failures, MOST_DOUBLINGS);
            int pause = 1 + random.nextInt(longest) + answered.pauseMillis();
            due.add(request.again(now + pause, Kind.RETRY));
        }
    }

    private @Nullable HttpConnection takeConnection() {
        HttpConnection taken = connection;
        connection = null;
        if (taken != null && chance(Traffic.NEW_CONNECTION)) {
            taken.close();
            return null;
        }
        return taken;
    }

    private void keep(HttpConnection used) {
        if (connection == null && used.isReusable()) {
            connection = used;
        } else {
            used.close();
        }
    }

    private void close() {
        if (connection != null) {
            connection.close();
        }
    }

    private boolean chance(double share) {
        return random.nextDouble() < share;
    }

    /** One request and its response. */
    private final class Exchange {

        private final Due request;
        private final int start = fleet.history().millis();
        private @Nullable HttpConnection on;
        private Outcome failure = Outcome.NOT_CONNECTED;

        Exchange(Due request) {
            this.request = request;
        }

        void send(@Nullable HttpConnection idle) {
            long operation = Operations.number(number, request.index());
            String path = fleet.operations().path(operation);
            UUID key = fleet.operations().key(operation);
            try {
                HttpConnection open = idle == null ? HttpConnection.open(fleet.port()) : idle;
                on = open;
                failure = Outcome.CUT;
                open.send(path, key);
            } catch (IOException e) {
                drop();
            }
        }

        Answered receive() {
            HttpConnection open = on;
            if (open == null) {
                return record(failure, 0, false, 0);
            }
            Duration timeout = chance(Traffic.IMPATIENT)
                    ? Duration.ofMillis(1 + random.nextInt(IMPATIENCE_MILLIS))
                    : fleet.traffic().timeout();
            try {
                Response answer = open.receive(timeout);
                keep(open);
                Duration wait = answer.retryAfter().compareTo(Traffic.LONGEST_RETRY_AFTER) < 0
                        ? answer.retryAfter()
                        : Traffic.LONGEST_RETRY_AFTER;
                return record(outcome(answer), answer.status(), answer.replayed(), (int) wait.toMillis());
            } catch (SocketTimeoutException e) {
                drop();
                return record(Outcome.TIMED_OUT, 0, false, 0);
            } catch (IOException | NumberFormatException e) {
                drop();
                return record(Outcome.CUT, 0, false, 0);
            }
        }

        private void drop() {
            if (on != null) {
                on.close();
                on = null;
            }
        }

        private Answered record(Outcome outcome, int status, boolean replayed, int pauseMillis) {
            log.add(new Attempt(
                    request.index(),
                    start,
                    fleet.history().millis() - start,
                    status,
                    outcome,
                    request.kind(),
                    replayed));
            failures = status == 0 ? failures + 1 : 0;
            return new Answered(outcome == Outcome.ACKNOWLEDGED, pauseMillis);
        }

        private static Outcome outcome(Response answer) {
            if (answer.isSuccess()) {
                return Outcome.ACKNOWLEDGED;
            }
            return switch (answer.status()) {
                case 409 -> Outcome.IN_PROGRESS;
                case 503 -> Outcome.UNAVAILABLE;
                default -> Outcome.REFUSED;
            };
        }
    }

    private record Answered(boolean acknowledged, int pauseMillis) {}

    /** A request that is due at a time, in milliseconds of the history. */
    private record Due(int index, int begun, int at, Kind kind) {

        Due again(int time, Kind why) {
            return new Due(index, begun, time, why);
        }
    }
}
