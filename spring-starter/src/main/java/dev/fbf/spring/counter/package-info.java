/** Counters whose increments are committed together. */
@NullMarked
package dev.fbf.spring.counter;

import org.jspecify.annotations.NullMarked;
