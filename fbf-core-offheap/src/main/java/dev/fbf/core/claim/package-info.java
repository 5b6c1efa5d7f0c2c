/** The claims of a node: their records, their log, and the witness that settles those in doubt. */
@NullMarked
package dev.fbf.core.claim;

import org.jspecify.annotations.NullMarked;
