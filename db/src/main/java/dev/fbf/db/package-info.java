/** The SQL of fbf in plain JDBC: schema, counters, witness and ledger. */
@NullMarked
package dev.fbf.db;

import org.jspecify.annotations.NullMarked;
