/** Idempotency keys: how they come in a header, and what their time tells. */
@NullMarked
package dev.fbf.spring.key;

import org.jspecify.annotations.NullMarked;
