/** HTTP: fingerprints of requests, responses and problems. */
@NullMarked
package dev.fbf.spring.web;

import org.jspecify.annotations.NullMarked;
