/** Loads a running sample app over a bad network and asks the database what its counters say. */
@NullMarked
package dev.fbf.loadtest;

import org.jspecify.annotations.NullMarked;
