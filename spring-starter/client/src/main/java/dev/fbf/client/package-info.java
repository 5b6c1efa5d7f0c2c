/** The client: requests with an idempotency key, sent again with the same key until they get a response. */
@NullMarked
package dev.fbf.client;

import org.jspecify.annotations.NullMarked;
