/** Guarded methods and counters in tests without PostgreSQL, and keys for requests of tests. */
@NullMarked
package dev.fbf.spring.test;

import org.jspecify.annotations.NullMarked;
