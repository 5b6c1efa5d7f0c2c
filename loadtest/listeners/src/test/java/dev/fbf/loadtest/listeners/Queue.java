package dev.fbf.loadtest.listeners;

import java.util.List;

/** A broker with one queue. */
interface Queue extends AutoCloseable {

    String NAME = "payments";

    /** The application's properties: its profile, and the broker's address. */
    List<String> settings();

    void send(List<String> messages) throws Exception;

    /** Whether each message has been acknowledged. */
    boolean isEmpty() throws Exception;

    @Override
    void close();
}
