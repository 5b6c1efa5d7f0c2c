package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A filter for tests, which lacks nothing and remembers no requests. */
public abstract class FilterDouble implements ForgetfulBloomFilter {

    protected FilterDouble() {}

    @Override
    public void putRequest(OperationId request) {
        // it is not sized for it
    }

    @Override
    public void putUnknownRequest(OperationId id) {
        // it is not sized for it
    }

    @Override
    public boolean isOfAnotherRequest(OperationId id, OperationId request) {
        return false;
    }

    @Override
    public void restore(OperationId id, @Nullable OperationId request, long putAt) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long millis() {
        return System.currentTimeMillis();
    }

    @Override
    public boolean isOverfull() {
        return false;
    }

    @Override
    public Duration incompleteFor() {
        return Duration.ZERO;
    }

    @Override
    public void noteLacking() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Duration lackingFor() {
        return Duration.ZERO;
    }

    @Override
    public List<FileBeat> beats() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void intend(long beat) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void confirm(long beat) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void noteLost(boolean lost) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long lostSince() {
        return 0;
    }
}
