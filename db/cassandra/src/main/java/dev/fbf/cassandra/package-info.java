/**
 * Exactly-once counters on Cassandra. A group of increments is one conditional batch in one partition, a lane; the filter is a cache
 * of the lanes' groups.
 */
@NullMarked
package dev.fbf.cassandra;

import org.jspecify.annotations.NullMarked;
