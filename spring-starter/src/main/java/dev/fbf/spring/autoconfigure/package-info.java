/** Puts all of it into an application, or into a test. */
@NullMarked
package dev.fbf.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
