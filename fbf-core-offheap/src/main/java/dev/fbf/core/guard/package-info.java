/** The guard: who may apply an operation, and what is known of its outcome. */
@NullMarked
package dev.fbf.core.guard;

import org.jspecify.annotations.NullMarked;
