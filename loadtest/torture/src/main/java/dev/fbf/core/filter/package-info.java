/** A look into a filter's file; in its package, to know its layout. */
@NullMarked
package dev.fbf.core.filter;

import org.jspecify.annotations.NullMarked;
