/** What declares operations: annotated methods, read and checked, and programs. */
@NullMarked
package dev.fbf.spring.declaration;

import org.jspecify.annotations.NullMarked;
