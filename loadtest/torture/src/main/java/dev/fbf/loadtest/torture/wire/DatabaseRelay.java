package dev.fbf.loadtest.torture.wire;

import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sits between an application and its database, knows where in a guarded transaction each batch belongs, and lets happen to it what
 * is due. One instance for each connection.
 */
public final class DatabaseRelay implements Relay {

    /*
     * A client's messages are kept until the batch is complete, so that nothing of a COMMIT has reached the server when it
     * is decided what becomes of it. The server would not have answered before the batch's end either.
     *
     * Whether a transaction is open is told by what the client sent: pgjdbc sends a statement behind its BEGIN before the
     * server could say so.
     *
     * A client that must not see a response is cut off when the server has ended the connection. The server does that after
     * the last message that it has received, so its transaction has ended by then.
     */

    /** How long a batch may take at the server whose client is not there any more. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** What fbf's own transactions begin with, those that settle others among them. */
    private static final List<String> SETTLING = List.of("set transaction isolation level");

    /** A transaction that mentions one of these is guarded; the last shows one even without a witness. */
    private static final List<String> GUARDED = List.of("fbf_witness", "fbf_ledger", "torture_applied");

    private final Interceptions interceptions;
    private final ClientStream client;
    private final CountDownLatch serverEnded = new CountDownLatch(1);
    private volatile boolean swallows;

    private boolean begun;
    private boolean guarded;
    private boolean witnessed;
    private boolean settling;

    private DatabaseRelay(Interceptions interceptions, ClientStream client) {
        this.interceptions = interceptions;
        this.client = client;
    }

    public static DatabaseRelay ofPostgres(Interceptions interceptions) {
        return new DatabaseRelay(interceptions, new PostgresStream());
    }

    public static DatabaseRelay ofMariaDb(Interceptions interceptions) {
        return new DatabaseRelay(interceptions, new MariaDbStream());
    }

    @Override
    public void fromServer(Link link, byte[] bytes, int length) throws IOException {
        if (!swallows) {
            link.toClient(bytes, length);
        }
    }

    @Override
    public void serverEnded() {
        serverEnded.countDown();
    }

    @Override
    public void fromClient(Link link, byte[] bytes, int length) throws IOException {
        for (Batch batch : client.feed(bytes, length)) {
            Moment moment = momentOf(batch);
            Interception interception = moment == null ? null : interceptions.poll(moment);
            try {
                if (interception == null) {
                    send(link, batch);
                } else {
                    intercept(link, batch, interception);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            }
        }
    }

    /** Where the batch belongs in a guarded transaction; null if it belongs to none. */
    private @Nullable Moment momentOf(Batch batch) {
        if (batch.statements().isEmpty()) {
            return null;
        }
        if (!begun || batch.begins()) {
            guarded = false;
            witnessed = false;
            settling = false;
        }
        begun |= batch.begins();
        boolean alone = !begun;
        begun &= !batch.commits() && !batch.rollsBack();
        boolean turnsWitness = batch.turnsWitness();
        boolean afterWitness = witnessed;
        settling |= batch.mentionsAny(SETTLING);
        guarded |= turnsWitness || batch.mentionsAny(GUARDED);
        witnessed |= turnsWitness;
        if (!guarded || batch.rollsBack() || (settling && interceptions.spareSettlement())) {
            return null;
        }
        if (alone) {
            return batch.onlyReads() ? null : Moment.GROUP;
        }
        if (batch.commits()) {
            return Moment.COMMIT;
        }
        if (turnsWitness) {
            return Moment.WITNESS;
        }
        return afterWitness ? Moment.STATEMENT : null;
    }

    private void intercept(Link link, Batch batch, Interception interception) throws IOException, InterruptedException {
        switch (interception.action()) {
            case CUT_BEFORE -> cut(link);
            case CUT_AFTER -> deliverAndCut(link, batch);
            case HOLD -> {
                int begin = interceptions.beginHold(); // the client may answer its cut with a release
                link.cutClient();
                interceptions.hold(begin, interception.time());
                deliverAndCut(link, batch);
            }
            case DELAY -> {
                interceptions.hold(interceptions.beginHold(), interception.time());
                send(link, batch);
            }
            case CALL_AFTER -> {
                send(link, batch);
                interception.call().run();
            }
        }
    }

    private void deliverAndCut(Link link, Batch batch) throws IOException, InterruptedException {
        swallows = true;
        try {
            send(link, batch);
            link.endToServer();
            serverEnded.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            cut(link);
        }
    }

    private static void send(Link link, Batch batch) throws IOException {
        link.toServer(batch.bytes().toByteArray(), batch.bytes().size());
    }

    private static void cut(Link link) throws IOException {
        link.cut();
        throw new IOException("the connection was cut");
    }
}
