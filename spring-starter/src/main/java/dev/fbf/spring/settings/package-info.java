/** What is set for all scopes, and for each. */
@NullMarked
package dev.fbf.spring.settings;

import org.jspecify.annotations.NullMarked;
