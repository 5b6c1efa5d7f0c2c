/** An unreliable network, on demand: responses of the counters that never arrive. */
@NullMarked
package dev.fbf.sample.fault;

import org.jspecify.annotations.NullMarked;
