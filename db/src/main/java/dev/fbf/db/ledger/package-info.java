/** Ledger mode: one row per applied operation, until it expires. */
@NullMarked
package dev.fbf.db.ledger;

import org.jspecify.annotations.NullMarked;
