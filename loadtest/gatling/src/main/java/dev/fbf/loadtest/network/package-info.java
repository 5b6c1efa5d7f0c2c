/**
 * The paper's figure 17: clients and the sample app have a bad network between them, which loses responses and delays what it
 * passes on.
 */
@NullMarked
package dev.fbf.loadtest.network;

import org.jspecify.annotations.NullMarked;
