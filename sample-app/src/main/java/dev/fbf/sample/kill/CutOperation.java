package dev.fbf.sample.kill;

import dev.fbf.core.OperationId;
import dev.fbf.sample.connection.Cut;
import dev.fbf.sample.connection.DatabaseConnections;
import java.util.concurrent.CountDownLatch;

/** An operation whose first COMMIT is cut off. It is used by one thread at a time. */
final class CutOperation {

    private final int number;
    private final String key;
    private final Cut cut;
    private final CountDownLatch held;

    private int runs;

    /**
     * @param key names it, each time that it is sent
     * @param held is counted down when its COMMIT is held
     */
    CutOperation(int number, String key, Cut cut, CountDownLatch held) {
        this.number = number;
        this.key = key;
        this.cut = cut;
        this.held = held;
    }

    int number() {
        return number;
    }

    String key() {
        return key;
    }

    /** The guard's id of it. */
    String id() {
        return OperationId.of(CutCounter.SCOPE, "", key).toString();
    }

    Cut cut() {
        return cut;
    }

    /** The number of times that its SQL was executed, including transactions that did not commit. */
    int runs() {
        return runs;
    }

    /** Its SQL has been executed. The first time, the next request of this thread, which is the COMMIT, is held, or the response. */
    void ran() {
        if (runs++ == 0) {
            DatabaseConnections.holdNext(cut, held::countDown);
        }
    }
}
