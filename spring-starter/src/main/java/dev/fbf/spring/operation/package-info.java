/** Applies an operation once, for annotated methods and for programs. */
@NullMarked
package dev.fbf.spring.operation;

import org.jspecify.annotations.NullMarked;
