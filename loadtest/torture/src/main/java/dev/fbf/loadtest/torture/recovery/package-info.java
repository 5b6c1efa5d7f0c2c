/** How long an application takes to be ready again after it was killed, with fbf and without it. */
@NullMarked
package dev.fbf.loadtest.torture.recovery;

import org.jspecify.annotations.NullMarked;
