/** The guard: admits operations, and settles those in doubt. */
@NullMarked
package dev.fbf.core.guard;

import org.jspecify.annotations.NullMarked;
