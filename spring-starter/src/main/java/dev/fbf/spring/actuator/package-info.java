/** What operators see: meters, health and an endpoint. */
@NullMarked
package dev.fbf.spring.actuator;

import org.jspecify.annotations.NullMarked;
