/** Counters on Cassandra under torture: nodes of both kinds are killed and frozen, and connections cut. */
@NullMarked
package dev.fbf.loadtest.torture.lanes;

import org.jspecify.annotations.NullMarked;
