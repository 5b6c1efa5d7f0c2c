/** The guards of all scopes: their life, from the start of the application to its end, and what they admit. */
@NullMarked
package dev.fbf.spring.guard;

import org.jspecify.annotations.NullMarked;
