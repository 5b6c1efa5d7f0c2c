/** The client: requests with an idempotency key, sent again with the same key until they are answered. */
@NullMarked
package dev.fbf.client;

import org.jspecify.annotations.NullMarked;
