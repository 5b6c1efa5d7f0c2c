/** Annotated methods: their interceptors, the key header, keys and callers. */
@NullMarked
package dev.fbf.spring.method;

import org.jspecify.annotations.NullMarked;
