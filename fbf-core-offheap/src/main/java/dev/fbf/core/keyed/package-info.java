/** A filter of any keys, as a library: the rest of fbf puts operations. */
@NullMarked
package dev.fbf.core.keyed;

import org.jspecify.annotations.NullMarked;
