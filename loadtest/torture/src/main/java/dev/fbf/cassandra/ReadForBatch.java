package dev.fbf.cassandra;

import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** Has a group whose outcome is unknown not sent again: any group after the last known one is taken for this node's. */
public final class ReadForBatch {

    private ReadForBatch() {}

    @Advice.OnMethodExit(onThrowable = RuntimeException.class)
    @SuppressWarnings("UnusedVariable") // what is assigned is returned
    static void exit(
            @Advice.This LaneTable table,
            @Advice.Argument(0) int lane,
            @Advice.Argument(2) long seq,
            @Advice.Thrown(readOnly = false) @Nullable Throwable thrown,
            @Advice.Return(readOnly = false) LaneTable.Decision returned) {
        if (thrown != null) {
            long now = table.seq(lane);
            returned = new LaneTable.Decision(now > seq, now);
            thrown = null;
        }
    }
}
