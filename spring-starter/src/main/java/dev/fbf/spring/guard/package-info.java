/** The guards of all scopes: their life from the application's start to its stop, and the admission of operations. */
@NullMarked
package dev.fbf.spring.guard;

import org.jspecify.annotations.NullMarked;
