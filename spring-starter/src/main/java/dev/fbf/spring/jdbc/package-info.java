/** What applies operations in transactions of a database: its outcome store, its connections, counters, and the life of this node. */
@NullMarked
package dev.fbf.spring.jdbc;

import org.jspecify.annotations.NullMarked;
