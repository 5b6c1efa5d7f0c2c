/** Filter mode: one row per slot holds the token of the last committed transaction. */
@NullMarked
package dev.fbf.db.witness;

import org.jspecify.annotations.NullMarked;
