/** Processes that a run starts, the ports that they listen on, and the directories that they fill. */
@NullMarked
package dev.fbf.process;

import org.jspecify.annotations.NullMarked;
