/** The sample app on Cassandra. */
@NullMarked
package dev.fbf.sample.cassandra;

import org.jspecify.annotations.NullMarked;
