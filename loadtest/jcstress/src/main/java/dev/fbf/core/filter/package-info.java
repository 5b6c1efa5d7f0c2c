/** The filter under stress; in its package, to reach its inside. */
@NullMarked
package dev.fbf.core.filter;

import org.jspecify.annotations.NullMarked;
