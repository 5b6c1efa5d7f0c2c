/** Shared basics: the {@link dev.fbf.core.OperationId}, exceptions, and durations as text. */
@NullMarked
package dev.fbf.core;

import org.jspecify.annotations.NullMarked;
