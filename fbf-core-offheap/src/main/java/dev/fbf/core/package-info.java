/** Shared basics: the {@link dev.fbf.core.OperationId} and {@link dev.fbf.core.StorageException}. */
@NullMarked
package dev.fbf.core;

import org.jspecify.annotations.NullMarked;
