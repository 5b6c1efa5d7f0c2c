package dev.fbf.loadtest.torture.pgwire;

import dev.fbf.loadtest.torture.pgwire.Interception.Delivery;
import dev.fbf.loadtest.torture.pgwire.MessageSplitter.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What a server answers, and how a batch ended whose client is not there any more. Thread-safe. */
final class ServerStream {

    private static final char IDLE = 'I';

    private final MessageSplitter splitter = MessageSplitter.ofServer();

    private char status = IDLE;
    private boolean swallows;
    /** Batches that were sent and not answered: pgjdbc sends its BEGIN and does not wait. */
    private int open;

    private boolean ended;
    private boolean error;
    private String command = "";

    /** Takes what the server sent; returns whether the client is to get it. */
    synchronized boolean take(byte[] bytes, int length) throws IOException {
        boolean forClient = !swallows;
        splitter.feed(bytes, length, this::take);
        return forClient;
    }

    private void take(Message message) {
        switch (message.type) {
            case 'Z' -> { // ReadyForQuery
                status = message.first();
                open = Math.max(0, open - 1); // the first follows no batch but the start of the session
                notifyAll();
            }
            case 'C' -> command = message.strings(0, 1)[0]; // CommandComplete
            case 'E' -> error = true; // ErrorResponse
            default -> {}
        }
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }

    synchronized void swallow() {
        swallows = true;
    }

    synchronized void expectResponse() {
        open++;
        error = false;
        command = "";
    }

    /** Waits until the server is done with all that was sent, for so long at most. */
    synchronized Delivery await(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = end - System.nanoTime(); left > 0 && open > 0 && !ended; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (open > 0) {
            return Delivery.UNKNOWN;
        }
        if (error) {
            return Delivery.REFUSED;
        }
        if (command.equals("ROLLBACK")) {
            return Delivery.ROLLED_BACK;
        }
        return status == IDLE ? Delivery.COMMITTED : Delivery.EXECUTED;
    }
}
