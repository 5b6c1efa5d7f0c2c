/** Filter mode: one row per slot tells which transaction committed in it last. */
@NullMarked
package dev.fbf.db.witness;

import org.jspecify.annotations.NullMarked;
