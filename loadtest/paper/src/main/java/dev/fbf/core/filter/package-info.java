/** Drives the core's filter by the time of a stream, which its public types leave to the machine's clock. */
@NullMarked
package dev.fbf.core.filter;

import org.jspecify.annotations.NullMarked;
