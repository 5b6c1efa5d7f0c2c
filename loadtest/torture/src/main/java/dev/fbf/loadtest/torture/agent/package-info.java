/** An agent in the application: kills it at a step of the protocol, or breaks a rule of the protocol on purpose. */
@NullMarked
package dev.fbf.loadtest.torture.agent;

import org.jspecify.annotations.NullMarked;
