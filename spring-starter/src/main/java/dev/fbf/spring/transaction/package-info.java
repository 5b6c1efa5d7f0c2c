/** The databases and transactions that operations are part of, from a claim to the outcome of its transaction. */
@NullMarked
package dev.fbf.spring.transaction;

import org.jspecify.annotations.NullMarked;
