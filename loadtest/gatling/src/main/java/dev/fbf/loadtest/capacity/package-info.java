/** How many requests the sample app answers in a second, when everybody views the same page, and what limits it. */
@NullMarked
package dev.fbf.loadtest.capacity;

import org.jspecify.annotations.NullMarked;
