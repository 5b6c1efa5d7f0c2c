/** Placeholder. */
@NullMarked
package dev.fbf.sample;

import org.jspecify.annotations.NullMarked;
