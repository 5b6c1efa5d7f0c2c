/** Integration with Spring Boot: its actuator, default log levels, and the check of its version. */
@NullMarked
package dev.fbf.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
