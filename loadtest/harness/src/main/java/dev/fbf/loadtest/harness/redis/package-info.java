/** A Redis for benchmarks, in a process of its own. */
@NullMarked
package dev.fbf.loadtest.harness.redis;

import org.jspecify.annotations.NullMarked;
