/** The claims under stress. */
@NullMarked
package dev.fbf.core.witness;

import org.jspecify.annotations.NullMarked;
