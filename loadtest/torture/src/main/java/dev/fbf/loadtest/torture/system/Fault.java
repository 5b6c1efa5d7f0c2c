package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.wire.Interception.Action;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import java.util.Locale;

/** What is done to the system. Faults of one lane happen one after the other; lanes do not wait for each other. */
enum Fault {
    /** SIGKILL at any moment. */
    KILL_APP(Lane.APP, 3),
    /** SIGKILL just after a COMMIT was sent to the database. */
    KILL_APP_IN_COMMIT(Lane.APP, 2, Moment.COMMIT, Action.CALL_AFTER),
    /** SIGKILL at a step of the protocol, by an agent in the application. */
    KILL_AT_STEP(Lane.APP, 5),
    /** SIGKILL just after a group's statement was sent to the database. */
    KILL_APP_IN_GROUP(Lane.APP, 2, Moment.GROUP, Action.CALL_AFTER),
    /** SIGKILL, and once more while it starts. */
    KILL_APP_TWICE(Lane.APP, 1),

    KILL_BACKEND(Lane.SERVER, 2),
    TERMINATE_BACKEND(Lane.SERVER, 3),
    KILL_SERVER(Lane.SERVER, 2),
    KILL_SERVER_IN_COMMIT(Lane.SERVER, 2, Moment.COMMIT, Action.CALL_AFTER),
    STOP_SERVER(Lane.SERVER, 1),
    KILL_SERVER_IN_GROUP(Lane.SERVER, 2, Moment.GROUP, Action.CALL_AFTER),

    CUT_BEFORE_COMMIT(Lane.COMMIT, 10, Moment.COMMIT, Action.CUT_BEFORE),
    CUT_AFTER_COMMIT(Lane.COMMIT, 10, Moment.COMMIT, Action.CUT_AFTER),
    HOLD_COMMIT(Lane.COMMIT, 4, Moment.COMMIT, Action.HOLD),
    HOLD_STATEMENT(Lane.COMMIT, 2, Moment.STATEMENT, Action.HOLD),
    HOLD_WITNESS(Lane.COMMIT, 2, Moment.WITNESS, Action.HOLD),
    DELAY_COMMIT(Lane.COMMIT, 2, Moment.COMMIT, Action.DELAY),
    /** The statement of a group is its COMMIT too. */
    CUT_BEFORE_GROUP(Lane.COMMIT, 5, Moment.GROUP, Action.CUT_BEFORE),
    CUT_AFTER_GROUP(Lane.COMMIT, 5, Moment.GROUP, Action.CUT_AFTER),
    HOLD_GROUP(Lane.COMMIT, 2, Moment.GROUP, Action.HOLD),
    DELAY_GROUP(Lane.COMMIT, 1, Moment.GROUP, Action.DELAY),

    FREEZE_DATABASE_LINK(Lane.DATABASE_NETWORK, 2),
    CUT_DATABASE_LINKS(Lane.DATABASE_NETWORK, 2),
    DELAY_DATABASE(Lane.DATABASE_NETWORK, 1),

    CUT_CLIENT_LINK(Lane.CLIENT_NETWORK, 6),
    CUT_CLIENT_LINKS(Lane.CLIENT_NETWORK, 1),
    FREEZE_CLIENT_LINK(Lane.CLIENT_NETWORK, 2),
    LOSE_ANSWERS(Lane.CLIENT_NETWORK, 6),
    DELAY_CLIENTS(Lane.CLIENT_NETWORK, 1),

    /** The filter wants to grow. */
    SURGE(Lane.LOAD, 1),

    /** SIGKILL of a node, and its start. */
    KILL_CASSANDRA(Lane.CASSANDRA, 6),
    FREEZE_CASSANDRA(Lane.CASSANDRA, 3),
    /** Two nodes are frozen: the third is no quorum. */
    FREEZE_QUORUM(Lane.CASSANDRA, 1),

    CUT_CASSANDRA_LINK(Lane.CASSANDRA_NETWORK, 1),
    CUT_CASSANDRA_LINKS(Lane.CASSANDRA_NETWORK, 1),
    LOSE_CASSANDRA_RESPONSES(Lane.CASSANDRA_NETWORK, 1);

    final Lane lane;

    /** How often it happens, beside the others of its lane. */
    final int weight;

    /** The moment of a guarded transaction at which the fault happens. COMMIT, and unused, unless the fault names a moment. */
    final Moment moment;

    /** What a proxy does to the next batch of that moment. Unused unless the fault names an action. */
    final Action action;

    Fault(Lane lane, int weight) {
        this(lane, weight, Moment.COMMIT, Action.CALL_AFTER);
    }

    Fault(Lane lane, int weight, Moment moment, Action action) {
        this.lane = lane;
        this.weight = weight;
        this.moment = moment;
        this.action = action;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** What faults have to share. */
    enum Lane {
        APP("app-kills"),
        SERVER("server-kills"),
        COMMIT("commit-faults"),
        DATABASE_NETWORK("database-network-faults"),
        CLIENT_NETWORK("client-network-faults"),
        LOAD("surges"),
        CASSANDRA("cassandra-faults"),
        CASSANDRA_NETWORK("cuts");

        /** The name of the setting for their number. */
        final String setting;

        Lane(String setting) {
            this.setting = setting;
        }
    }
}
