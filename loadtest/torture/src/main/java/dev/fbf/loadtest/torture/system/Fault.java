package dev.fbf.loadtest.torture.system;

import java.util.Locale;

/** What is done to the system. Faults of one lane happen one after the other; lanes do not wait for each other. */
enum Fault {
    /** SIGKILL at any moment. */
    KILL_APP(Lane.APP, 3),
    /** SIGKILL just after a COMMIT was sent to PostgreSQL. */
    KILL_APP_IN_COMMIT(Lane.APP, 2),
    /** SIGKILL at a step of the protocol, by an agent in the application. */
    KILL_AT_STEP(Lane.APP, 5),
    /** SIGKILL, and a start before there is room again. */
    KILL_APP_ON_FULL_DISK(Lane.APP, 1),
    /** SIGKILL just after a group's statement was sent to PostgreSQL. */
    KILL_APP_IN_GROUP(Lane.APP, 2),

    KILL_BACKEND(Lane.POSTGRES, 2),
    TERMINATE_BACKEND(Lane.POSTGRES, 3),
    KILL_POSTMASTER(Lane.POSTGRES, 2),
    KILL_POSTMASTER_IN_COMMIT(Lane.POSTGRES, 2),
    STOP_POSTGRES_IMMEDIATELY(Lane.POSTGRES, 1),
    KILL_POSTMASTER_IN_GROUP(Lane.POSTGRES, 2),

    CUT_BEFORE_COMMIT(Lane.COMMIT, 10),
    CUT_AFTER_COMMIT(Lane.COMMIT, 10),
    HOLD_COMMIT(Lane.COMMIT, 4),
    HOLD_STATEMENT(Lane.COMMIT, 2),
    HOLD_WITNESS(Lane.COMMIT, 2),
    DELAY_COMMIT(Lane.COMMIT, 2),
    /** The statement of a group is its COMMIT too. */
    CUT_BEFORE_GROUP(Lane.COMMIT, 5),
    CUT_AFTER_GROUP(Lane.COMMIT, 5),
    HOLD_GROUP(Lane.COMMIT, 2),
    DELAY_GROUP(Lane.COMMIT, 1),

    FREEZE_DATABASE_LINK(Lane.DATABASE_NETWORK, 2),
    CUT_DATABASE_LINKS(Lane.DATABASE_NETWORK, 2),
    DELAY_DATABASE(Lane.DATABASE_NETWORK, 1),

    CUT_CLIENT_LINK(Lane.CLIENT_NETWORK, 6),
    CUT_CLIENT_LINKS(Lane.CLIENT_NETWORK, 1),
    FREEZE_CLIENT_LINK(Lane.CLIENT_NETWORK, 2),
    LOSE_ANSWERS(Lane.CLIENT_NETWORK, 6),
    DELAY_CLIENTS(Lane.CLIENT_NETWORK, 1),

    /** The filter wants to grow and has no room; then it has. */
    SURGE_ON_FULL_DISK(Lane.LOAD, 1),
    /** The filter wants to grow. */
    SURGE(Lane.LOAD, 1);

    private final Lane lane;
    private final int weight;

    Fault(Lane lane, int weight) {
        this.lane = lane;
        this.weight = weight;
    }

    Lane lane() {
        return lane;
    }

    /** How often it happens, beside the others of its lane. */
    int weight() {
        return weight;
    }

    /** Whether it is a SIGKILL. */
    boolean kills() {
        return name().startsWith("KILL_");
    }

    /** Whether it needs a disk that can be filled. */
    boolean fillsDisk() {
        return name().endsWith("_ON_FULL_DISK");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** What faults have to share. */
    enum Lane {
        APP,
        POSTGRES,
        COMMIT,
        DATABASE_NETWORK,
        CLIENT_NETWORK,
        LOAD
    }
}
