/** Placeholder. */
@NullMarked
package dev.fbf.db;

import org.jspecify.annotations.NullMarked;
