/** An operation, from its declaration to its outcome: scopes, the executor, first responses, refusals. */
@NullMarked
package dev.fbf.spring.operation;

import org.jspecify.annotations.NullMarked;
