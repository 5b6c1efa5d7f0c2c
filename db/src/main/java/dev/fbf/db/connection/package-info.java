/** Connections as fbf uses them: transactions, limits of time, what a failure means, and statements that travel with the caller's. */
@NullMarked
package dev.fbf.db.connection;

import org.jspecify.annotations.NullMarked;
