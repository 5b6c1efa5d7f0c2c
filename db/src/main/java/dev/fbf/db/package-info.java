/** Everything of fbf that speaks SQL: its schema and its counters, in plain JDBC. */
@NullMarked
package dev.fbf.db;

import org.jspecify.annotations.NullMarked;
