/** Placeholder. */
@NullMarked
package dev.fbf.core;

import org.jspecify.annotations.NullMarked;
