package dev.fbf.loadtest.torture.wire;

import java.io.IOException;
import java.util.List;

/** What a client sends on an unencrypted connection, in batches, with the SQL that each executes. Not thread-safe. */
interface ClientStream {

    /**
     * Takes the next bytes, and returns the batches that they complete.
     *
     * @throws IOException if this is no such protocol
     */
    List<Batch> feed(byte[] bytes, int length) throws IOException;
}
