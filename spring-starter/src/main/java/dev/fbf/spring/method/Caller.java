package dev.fbf.spring.method;

/** Who is behind what this thread does. */
@FunctionalInterface
interface Caller {

    /** Where callers are not told apart. */
    Caller ANYBODY = () -> "";

    /** The caller's name, empty for nobody in particular. */
    String name();
}
