/** Arrays of 64-bit words that threads share: in a mapped file or in off-heap memory. Only this package uses Chronicle. */
@NullMarked
package dev.fbf.core.memory;

import org.jspecify.annotations.NullMarked;
