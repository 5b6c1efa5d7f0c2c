package dev.fbf.loadtest.torture.agent;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in an advice for the step whose advice it is. */
@Retention(RetentionPolicy.RUNTIME)
@interface At {}
