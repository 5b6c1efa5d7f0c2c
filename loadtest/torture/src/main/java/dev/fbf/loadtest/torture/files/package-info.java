/** Starts that are killed while they make their files. */
@NullMarked
package dev.fbf.loadtest.torture.files;

import org.jspecify.annotations.NullMarked;
