/** A Cassandra cluster for tests and benchmarks, each node in a JVM of its own. */
@NullMarked
package dev.fbf.process.cassandra;

import org.jspecify.annotations.NullMarked;
