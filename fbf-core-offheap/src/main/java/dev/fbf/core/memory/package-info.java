/** Arrays of 64-bit words that many threads share: mapped from a file, or on the heap. Chronicle is known here only. */
@NullMarked
package dev.fbf.core.memory;

import org.jspecify.annotations.NullMarked;
