/**
 * Loads a running sample app over a bad network and asks the database what its counters say.
 *
 * <p>{@link dev.fbf.loadtest.LoadTest} is where the run with faults begins; those over bad networks, of the capacity and of
 * the soak
 * have packages of their own. What can be set, and to what, stands in this module's POM.
 */
@NullMarked
package dev.fbf.loadtest;

import org.jspecify.annotations.NullMarked;
