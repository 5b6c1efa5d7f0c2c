/**
 * Loads a running sample app over a bad network and asks the database what its counters say.
 *
 * <p>{@link dev.fbf.loadtest.LoadTest} is where a run begins; what can be set, and to what, stands in the profile {@code
 * loadtest} of this module's POM.
 */
@NullMarked
package dev.fbf.loadtest;

import org.jspecify.annotations.NullMarked;
