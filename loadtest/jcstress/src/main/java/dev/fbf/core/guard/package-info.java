/** The guard under stress. */
@NullMarked
package dev.fbf.core.guard;

import org.jspecify.annotations.NullMarked;
