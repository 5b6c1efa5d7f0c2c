/** The claims under stress. */
@NullMarked
package dev.fbf.core.claim;

import org.jspecify.annotations.NullMarked;
