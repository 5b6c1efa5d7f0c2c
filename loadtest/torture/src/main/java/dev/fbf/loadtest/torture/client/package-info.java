/** Clients that resend every operation with its key until it is acknowledged, and remember every request. */
@NullMarked
package dev.fbf.loadtest.torture.client;

import org.jspecify.annotations.NullMarked;
