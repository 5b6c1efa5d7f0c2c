/**
 * The protocols of PostgreSQL and MariaDB, as far as a proxy must know them to break a connection at a COMMIT: messages, the
 * statements that are executed, and what is done to them on their way.
 *
 * @see <a href="https://www.postgresql.org/docs/17/protocol-message-formats.html">Message Formats</a>
 */
@NullMarked
package dev.fbf.loadtest.torture.wire;

import org.jspecify.annotations.NullMarked;
