package dev.fbf.spring;

import java.net.URI;

/**
 * How HTTP clients are told that an operation is not applied (RFC 9457).
 *
 * @param code the last part of the type, and of the codes under which messages can be given for it; it stays the same in all
 *     versions
 * @param status the HTTP status
 * @param isWorthRetrying whether the same request may get another response a little later
 * @param title the problem in a few words
 * @param advice what a client should do
 */
record Problem(String code, int status, boolean isWorthRetrying, String title, String advice) {

    private static final String TYPE = "tag:fbf.dev,2026:problem:";

    /** A tag URI (RFC 4151). */
    URI type() {
        return URI.create(TYPE + code);
    }
}
