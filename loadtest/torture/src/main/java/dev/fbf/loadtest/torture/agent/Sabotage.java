package dev.fbf.loadtest.torture.agent;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import dev.fbf.cassandra.LaneReader;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.locks.LockSupport;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/** Breaks a rule of the protocol, and takes some time over it, as a busy machine would. */
public final class Sabotage {

    private static final long A_WHILE_NANOS = 2_000_000;

    private static final Timer LATER = new Timer("torture-later", true);

    /** What the filter said before this thread's operation was claimed. */
    private static final ThreadLocal<Boolean> ASKED = new ThreadLocal<>();

    /** Whether this thread does what others have put off. */
    private static final ThreadLocal<Boolean> IN_EARNEST = ThreadLocal.withInitial(() -> false);

    private Sabotage() {}

    static AgentBuilder of(Broken broken, AgentBuilder builder) {
        AgentBuilder sabotaging = builder;
        for (Change change : broken.changes) {
            sabotaging = sabotaging
                    .type(named(change.type))
                    .transform((type, description, loader, module, domain) -> type.visit(
                            Advice.to(change.advice).on(named(change.method).and(takesArguments(change.arguments)))));
        }
        return sabotaging;
    }

    /** Remembers the filter's answer, and lets time pass before the claim. */
    public static void askFirst(ForgetfulBloomFilter filter, OperationId id) {
        ASKED.set(filter.mightContain(id));
        LockSupport.parkNanos(A_WHILE_NANOS);
    }

    /** What the filter said then. */
    public static @Nullable Boolean asked() {
        return ASKED.get();
    }

    /** Puts the operation a while later; tells whether it did, for it does not put off what it put off before. */
    public static boolean putsOff(ForgetfulBloomFilter filter, OperationId id) {
        if (IN_EARNEST.get()) {
            return false;
        }
        LATER.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        IN_EARNEST.set(true);
                        filter.put(id);
                    }
                },
                A_WHILE_NANOS / 1_000_000);
        return true;
    }

    public static boolean settles() {
        String name = Thread.currentThread().getName();
        return name.startsWith("fbf-settle") || name.equals("main");
    }

    /** Whether a caller is told that its operation was applied, though that of its group of several is in doubt. */
    public static boolean makesLightOf(@Nullable Refusal why) {
        return why == Refusal.IN_DOUBT && AppliedGroup.isOfSeveral();
    }

    static final class AskFirst {
        @Advice.OnMethodEnter
        static void enter(
                @Advice.FieldValue("filter") ForgetfulBloomFilter filter, @Advice.Argument(0) OperationId id) {
            Sabotage.askFirst(filter, id);
        }
    }

    static final class AnswerAsAsked {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static @Nullable Boolean enter() {
            return Sabotage.asked();
        }

        @Advice.OnMethodExit
        @SuppressWarnings("UnusedVariable") // what is assigned is returned
        static void exit(@Advice.Enter @Nullable Boolean asked, @Advice.Return(readOnly = false) boolean returned) {
            if (asked != null) {
                returned = asked;
            }
        }
    }

    static final class DoNothing {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    static final class PutLater {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Object filter, @Advice.Argument(0) OperationId id) {
            return Sabotage.putsOff((ForgetfulBloomFilter) filter, id);
        }
    }

    static final class OnlyLook {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return Sabotage.settles();
        }
    }

    static final class TakePreviousForFence {
        @Advice.OnMethodExit
        @SuppressWarnings("UnusedVariable") // what is assigned is returned
        static void exit(@Advice.Return(readOnly = false) boolean isFence) {
            isFence = true;
        }
    }

    /** Returns the statement that turns a row of the witness, without its failure where it finds none. */
    public static String withoutFailure(String sql) {
        return sql.contains("WITH turned")
                ? "UPDATE {fbf}.fbf_witness SET token = ? WHERE node = ? AND slot = ? AND token = ?"
                        + (sql.endsWith("COMMIT") ? "; COMMIT" : "")
                : sql;
    }

    static final class TurnWithoutFailure {
        @Advice.OnMethodEnter
        @SuppressWarnings("UnusedVariable") // the method goes on with what is assigned
        static void enter(@Advice.Argument(value = 1, readOnly = false) String sql) {
            sql = Sabotage.withoutFailure(sql);
        }
    }

    static final class BeSure {
        @Advice.OnMethodExit
        @SuppressWarnings("UnusedVariable") // what is assigned is returned
        static void exit(@Advice.Return(readOnly = false) boolean isSure) {
            isSure = true;
        }
    }

    static final class NotOfGroup {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return AppliedGroup.isOfSeveral();
        }
    }

    static final class TakeDoubtForApplied {
        @Advice.OnMethodEnter
        @SuppressWarnings("UnusedVariable") // the method goes on with what is assigned
        static void enter(
                @Advice.Argument(value = 0, readOnly = false) @Nullable Long value,
                @Advice.Argument(value = 1, readOnly = false) @Nullable Refusal why) {
            if (Sabotage.makesLightOf(why)) {
                value = 0L;
                why = null;
            }
        }
    }

    /** Names no type of the lanes: the agent would load it before its class is broken. */
    static final class ReadForBatch {
        @Advice.OnMethodExit(onThrowable = RuntimeException.class)
        @SuppressWarnings("UnusedVariable") // what is assigned is returned
        static void exit(
                @Advice.This Object table,
                @Advice.Argument(0) int lane,
                @Advice.Argument(2) long seq,
                @Advice.Thrown(readOnly = false) @Nullable Throwable thrown,
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
            if (thrown != null) {
                returned = LaneReader.decide(table, lane, seq, thrown);
                thrown = null;
            }
        }
    }

    /** What is done to a method with so many parameters. */
    record Change(String type, String method, int arguments, Class<?> advice) {}

    /** A rule of the protocol that is broken on purpose, so that the torture is seen to find it. */
    public enum Broken {
        /** The filter is asked before the operation is claimed. */
        FILTER_BEFORE_CLAIM(
                new Change("dev.fbf.core.witness.ScopeClaims", "admit", 2, AskFirst.class),
                new Change("dev.fbf.core.witness.ScopeClaims", "wasApplied", 1, AnswerAsAsked.class)),
        /** The claim is not in the file when the transaction begins. */
        CLAIM_NOT_WRITTEN(new Change("dev.fbf.core.witness.ClaimRecords", "write", 1, DoNothing.class)),
        /** The claim is freed before the filter holds the operation. */
        FREED_BEFORE_PUT(new Change("dev.fbf.core.filter.ForgetfulBloomFilter", "put", 1, PutLater.class)),
        /** What is in doubt is settled by reading the witness, without a fence. */
        NO_FENCE(
                new Change("dev.fbf.db.witness.WitnessTable", "compareAndSet", 4, OnlyLook.class),
                new Change("dev.fbf.db.witness.WitnessTable", "isFence", 2, TakePreviousForFence.class)),
        /** A transaction whose slot was fenced commits. */
        TURN_WITHOUT_FAILURE(new Change("dev.fbf.db.FbfSchema", "sql", 2, TurnWithoutFailure.class)),
        /** A COMMIT without a response counts as a rollback. */
        DOUBT_TAKEN_FOR_ROLLBACK(new Change("dev.fbf.db.connection.SqlFailures", "isSure", 2, BeSure.class)),
        /** What was committed in a group of several is not put in the filter. */
        GROUP_NOT_PUT(new Change("dev.fbf.core.filter.ForgetfulBloomFilter", "put", 1, NotOfGroup.class)),
        /** Callers are told that their operations were applied while their group of several is in doubt. */
        GROUP_IN_DOUBT_ACKNOWLEDGED(
                new Change("dev.fbf.db.group.GroupedIncrement", "done", 4, TakeDoubtForApplied.class)),
        /** What other nodes have committed to a lane is not read. */
        LANE_NOT_READ(new Change("dev.fbf.cassandra.Lane", "learn", 1, DoNothing.class)),
        /** The groups of the window are not in the filter of a node that starts. */
        LANE_NOT_RESTORED(new Change("dev.fbf.cassandra.RememberedOperations", "restore", 2, DoNothing.class)),
        /** A group whose outcome is unknown is not sent again: it counts as applied if the lane has another group then. */
        LANE_READ_FOR_BATCH(new Change("dev.fbf.cassandra.LaneTable", "commit", 3, ReadForBatch.class));

        @SuppressWarnings("ImmutableEnumChecker") // records of values
        private final List<Change> changes;

        Broken(Change... changes) {
            this.changes = List.of(changes);
        }

        List<Change> changes() {
            return changes;
        }
    }
}
