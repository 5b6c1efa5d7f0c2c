/** Support for tests without PostgreSQL: guarded methods, counters, and keys for requests. */
@NullMarked
package dev.fbf.spring.test;

import org.jspecify.annotations.NullMarked;
