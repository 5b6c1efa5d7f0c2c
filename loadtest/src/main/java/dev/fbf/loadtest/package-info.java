/** Placeholder. */
@NullMarked
package dev.fbf.loadtest;

import org.jspecify.annotations.NullMarked;
