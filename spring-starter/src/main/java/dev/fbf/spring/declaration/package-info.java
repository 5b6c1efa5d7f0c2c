/** The declarations of operations: annotated methods, read and checked, and the scopes of programs. */
@NullMarked
package dev.fbf.spring.declaration;

import org.jspecify.annotations.NullMarked;
