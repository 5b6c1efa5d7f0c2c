/** The web contract: what clients are told, what is compared and recorded of their requests, and what they may rely on. */
@NullMarked
package dev.fbf.spring.web;

import org.jspecify.annotations.NullMarked;
