/** What exact counters on Cassandra cost beside Cassandra's own. */
@NullMarked
package dev.fbf.loadtest.bench.cassandra;

import org.jspecify.annotations.NullMarked;
