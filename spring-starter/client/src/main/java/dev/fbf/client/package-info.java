/** Client that adds idempotency keys to requests, and retries them with the same key until they get a response. */
@NullMarked
package dev.fbf.client;

import org.jspecify.annotations.NullMarked;
