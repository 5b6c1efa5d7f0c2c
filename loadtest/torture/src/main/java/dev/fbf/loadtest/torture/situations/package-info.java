/** An application with one endpoint for each situation in which docs/research/situations.md lets a guarded call stand. */
@NullMarked
package dev.fbf.loadtest.torture.situations;

import org.jspecify.annotations.NullMarked;
