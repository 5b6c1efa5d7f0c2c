/** Which demonstrations this application offers beside its counters; the page hides the others. */
@NullMarked
package dev.fbf.sample.demo;

import org.jspecify.annotations.NullMarked;
