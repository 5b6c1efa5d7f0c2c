/** Hours in minutes: the sample app under a load that rises and falls, watched for memory, drift and the filter's mistakes. */
@NullMarked
package dev.fbf.loadtest.soak;

import org.jspecify.annotations.NullMarked;
