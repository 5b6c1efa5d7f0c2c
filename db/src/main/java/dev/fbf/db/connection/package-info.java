/** Connections: transactions, timeouts, retries and pauses, the meaning of failures, and statements that are sent together with the caller's. */
@NullMarked
package dev.fbf.db.connection;

import org.jspecify.annotations.NullMarked;
