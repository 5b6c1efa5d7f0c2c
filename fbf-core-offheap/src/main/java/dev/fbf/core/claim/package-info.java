/** The exclusive right to apply an operation in this process, and the operations that it has applied recently. */
@NullMarked
package dev.fbf.core.claim;

import org.jspecify.annotations.NullMarked;
