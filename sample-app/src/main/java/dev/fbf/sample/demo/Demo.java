package dev.fbf.sample.demo;

/**
 * A demonstration that this application offers: a bean for each.
 *
 * @param name the id of its section on the page
 */
public record Demo(String name) {}
