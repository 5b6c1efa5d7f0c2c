/** The auto-configuration of applications and tests. */
@NullMarked
package dev.fbf.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
