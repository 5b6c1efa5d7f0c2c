/** Filter mode: one row per slot shows whether the slot's last transaction committed, and one per scope which process holds its lease. */
@NullMarked
package dev.fbf.db.witness;

import org.jspecify.annotations.NullMarked;
