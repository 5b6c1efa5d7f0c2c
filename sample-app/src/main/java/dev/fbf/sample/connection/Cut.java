package dev.fbf.sample.connection;

/** Part of an exchange with the database that a cut suppresses. */
public enum Cut {
    /** The request: the database never gets it. */
    REQUEST,
    /** The response: the database has done what it was asked for. */
    RESPONSE
}
