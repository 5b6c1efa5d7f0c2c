/** Sets all of it up, and shows it to Spring Boot's actuator. */
@NullMarked
package dev.fbf.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
