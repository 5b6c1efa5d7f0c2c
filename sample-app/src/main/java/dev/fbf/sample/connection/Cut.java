package dev.fbf.sample.connection;

/** Which part of an exchange with the database a cut takes away. */
public enum Cut {
    /** The request: the database never gets it. */
    REQUEST,
    /** The response: the database has done what it was asked for. */
    RESPONSE
}
