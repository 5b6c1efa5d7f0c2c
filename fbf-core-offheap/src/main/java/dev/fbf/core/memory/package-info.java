/** Arrays of 64-bit words that threads share: in a mapped file, in off-heap memory or on the heap. Only this package uses Chronicle. */
@NullMarked
package dev.fbf.core.memory;

import org.jspecify.annotations.NullMarked;
