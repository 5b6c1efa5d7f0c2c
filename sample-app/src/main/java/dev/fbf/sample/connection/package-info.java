/** The sockets of this process's database connections, which can be cut at a chosen moment. */
@NullMarked
package dev.fbf.sample.connection;

import org.jspecify.annotations.NullMarked;
