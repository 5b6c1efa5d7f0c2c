/** A Spring Boot service with two counters for each page, one guarded and one not: to run, to click and to load. */
@NullMarked
package dev.fbf.sample;

import org.jspecify.annotations.NullMarked;
