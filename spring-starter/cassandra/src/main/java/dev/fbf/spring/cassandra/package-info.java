/** Exactly-once counters on Cassandra for Spring Boot. */
@NullMarked
package dev.fbf.spring.cassandra;

import org.jspecify.annotations.NullMarked;
