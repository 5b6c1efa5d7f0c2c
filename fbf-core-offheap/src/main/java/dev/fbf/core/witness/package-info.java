/** Filter mode: a node's directory, its claims in a file, and the witness that settles transactions in doubt. */
@NullMarked
package dev.fbf.core.witness;

import org.jspecify.annotations.NullMarked;
