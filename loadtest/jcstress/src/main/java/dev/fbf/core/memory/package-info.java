/** The mapped words under stress. */
@NullMarked
package dev.fbf.core.memory;

import org.jspecify.annotations.NullMarked;
