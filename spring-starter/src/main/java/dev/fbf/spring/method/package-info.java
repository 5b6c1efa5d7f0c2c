/** Annotated methods: their interceptors, keys and callers. */
@NullMarked
package dev.fbf.spring.method;

import org.jspecify.annotations.NullMarked;
