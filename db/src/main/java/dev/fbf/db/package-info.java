/** Everything of fbf that speaks SQL: its schema, its counters, its witness and its ledger, in plain JDBC. */
@NullMarked
package dev.fbf.db;

import org.jspecify.annotations.NullMarked;
