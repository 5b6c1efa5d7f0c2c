/** Filter mode: one row per slot shows whether the slot's last transaction committed. */
@NullMarked
package dev.fbf.db.witness;

import org.jspecify.annotations.NullMarked;
