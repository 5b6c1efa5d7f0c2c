/** Whether an operation is applied now: what is asked of that which applies operations, be it a transaction or something else. */
@NullMarked
package dev.fbf.spring.admission;

import org.jspecify.annotations.NullMarked;
