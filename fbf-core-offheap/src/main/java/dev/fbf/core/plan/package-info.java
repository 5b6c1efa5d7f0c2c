/** Sizing of a filter: the demand, the model of its false positives, and the layout that meets the demand. */
@NullMarked
package dev.fbf.core.plan;

import org.jspecify.annotations.NullMarked;
