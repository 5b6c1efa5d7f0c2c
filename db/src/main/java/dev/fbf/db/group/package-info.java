/** Increments of many callers, committed by one statement and one COMMIT. */
@NullMarked
package dev.fbf.db.group;

import org.jspecify.annotations.NullMarked;
