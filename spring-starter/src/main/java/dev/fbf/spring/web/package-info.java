/** The web contract: problems, fingerprints of requests, recorded responses and the policy. */
@NullMarked
package dev.fbf.spring.web;

import org.jspecify.annotations.NullMarked;
