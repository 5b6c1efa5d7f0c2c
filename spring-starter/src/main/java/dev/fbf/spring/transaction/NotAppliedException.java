package dev.fbf.spring.transaction;

/** Leaves a method whose operation was not applied: its caller knows why. */
final class NotAppliedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotAppliedException() {
        super("the operation was applied before, or is being applied, elsewhere", null, false, false);
    }
}
