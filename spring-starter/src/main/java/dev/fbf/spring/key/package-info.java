/** Idempotency keys: the header that carries them, and the time that they carry. */
@NullMarked
package dev.fbf.spring.key;

import org.jspecify.annotations.NullMarked;
