/** Meters, health and an endpoint for operators. */
@NullMarked
package dev.fbf.spring.actuator;

import org.jspecify.annotations.NullMarked;
