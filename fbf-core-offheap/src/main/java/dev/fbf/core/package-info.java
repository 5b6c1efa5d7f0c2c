/** What every part of fbf knows: the {@link dev.fbf.core.OperationId} and how storage faults are told. */
@NullMarked
package dev.fbf.core;

import org.jspecify.annotations.NullMarked;
