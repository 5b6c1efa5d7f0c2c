package dev.fbf.loadtest.torture.pgwire;

import java.io.ByteArrayOutputStream;

/** Bytes that grow and can be sent. */
final class Bytes extends ByteArrayOutputStream {

    /** The bytes themselves, valid up to {@link #size}. */
    byte[] array() {
        return buf;
    }
}
