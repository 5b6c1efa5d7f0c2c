/** Counters in the rows of a table. */
@NullMarked
package dev.fbf.db.counter;

import org.jspecify.annotations.NullMarked;
