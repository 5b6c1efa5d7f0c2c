/** A TCP proxy that breaks connections on command. It knows bytes, not what they mean. */
@NullMarked
package dev.fbf.loadtest.harness.proxy;

import org.jspecify.annotations.NullMarked;
