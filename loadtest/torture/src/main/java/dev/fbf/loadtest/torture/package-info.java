/** Kills a process that puts operations, and looks for what it acknowledged. */
@NullMarked
package dev.fbf.loadtest.torture;

import org.jspecify.annotations.NullMarked;
