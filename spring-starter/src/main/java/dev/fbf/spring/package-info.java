/** The API of the starter: annotations, interfaces, exceptions and properties. It depends on no other package of the starter. */
@NullMarked
package dev.fbf.spring;

import org.jspecify.annotations.NullMarked;
