/** Client that adds idempotency keys to requests, and retries them with the same key while their outcome is unknown. */
@NullMarked
package dev.fbf.client;

import org.jspecify.annotations.NullMarked;
