/** Filter for keys of any type, for use as a library. */
@NullMarked
package dev.fbf.core.keyed;

import org.jspecify.annotations.NullMarked;
