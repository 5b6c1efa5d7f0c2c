/** Processes that a run starts, and the ports that they listen on. */
@NullMarked
package dev.fbf.loadtest.harness.process;

import org.jspecify.annotations.NullMarked;
