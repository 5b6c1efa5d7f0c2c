/** Auto-configuration, and the integration with Spring Boot's actuator. */
@NullMarked
package dev.fbf.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
