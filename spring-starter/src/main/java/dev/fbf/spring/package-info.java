/** The starter: {@link dev.fbf.spring.IdempotentIncrement} and what makes it work. */
@NullMarked
package dev.fbf.spring;

import org.jspecify.annotations.NullMarked;
