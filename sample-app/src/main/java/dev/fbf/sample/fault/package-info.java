/** An unreliable network, on demand: answers of the counters that never arrive. */
@NullMarked
package dev.fbf.sample.fault;

import org.jspecify.annotations.NullMarked;
