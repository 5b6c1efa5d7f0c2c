/** The settings of each scope, and the checks of all properties. */
@NullMarked
package dev.fbf.spring.settings;

import org.jspecify.annotations.NullMarked;
