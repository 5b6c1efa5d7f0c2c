/** A race of three ways to count, side by side in this process. */
@NullMarked
package dev.fbf.sample.race;

import org.jspecify.annotations.NullMarked;
