package dev.fbf.loadtest;

/** Why an operation was sent once more. */
public enum Cause {
    /** The operation was acknowledged, and is sent again all the same. */
    ON_PURPOSE("on-purpose"),
    /** The connection ended without a response. */
    LOST_RESPONSE("lost-response"),
    /** The client stopped waiting. */
    GAVE_UP("gave-up"),
    /** A twin that was sent at the same time as another request. */
    AT_ONCE("at-once"),
    /** 409: another request for the same operation is being worked on. */
    IN_PROGRESS("in-progress"),
    /** 503: the server has no room now. */
    NO_ROOM("no-room"),
    /** Any other answer that acknowledges nothing. */
    REFUSED("refused");

    private final String title;

    Cause(String title) {
        this.title = title;
    }

    /** What a response that acknowledges nothing makes of the next request. */
    static Cause ofStatus(int status) {
        return switch (status) {
            case 409 -> IN_PROGRESS;
            case 503 -> NO_ROOM;
            default -> REFUSED;
        };
    }

    @Override
    public String toString() {
        return title;
    }
}
