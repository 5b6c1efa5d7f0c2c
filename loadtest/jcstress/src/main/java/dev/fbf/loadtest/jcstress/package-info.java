/** Runs the stress tests and judges them: the filter must not fail, and its weakened variants must. */
@NullMarked
package dev.fbf.loadtest.jcstress;

import org.jspecify.annotations.NullMarked;
