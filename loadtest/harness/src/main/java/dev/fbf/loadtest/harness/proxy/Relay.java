package dev.fbf.loadtest.harness.proxy;

import java.io.IOException;

/**
 * What becomes of the bytes of one connection: passes them on, or does not. Each direction has a thread of its own, so
 * that one direction may wait for as long as it likes; an exception cuts the connection.
 */
public interface Relay {

    /** Passes on whatever comes. */
    Relay PLAIN = new Relay() {
        @Override
        public void fromClient(Link link, byte[] bytes, int length) throws IOException {
            link.toServer(bytes, length);
        }

        @Override
        public void fromServer(Link link, byte[] bytes, int length) throws IOException {
            link.toClient(bytes, length);
        }
    };

    /**
     * Takes what the client sent.
     *
     * @param bytes valid up to {@code length}, and during this call only
     */
    void fromClient(Link link, byte[] bytes, int length) throws IOException;

    /**
     * Takes what the server sent.
     *
     * @param bytes valid up to {@code length}, and during this call only
     */
    void fromServer(Link link, byte[] bytes, int length) throws IOException;

    /** Nothing comes from the server any more. */
    default void serverEnded() {}
}
