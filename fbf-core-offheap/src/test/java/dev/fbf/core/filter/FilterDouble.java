package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A filter for tests, which lacks nothing and remembers no requests. */
public abstract class FilterDouble extends ForgetfulBloomFilter {

    private static final FilterClock CLOCK = FilterClock.of(InstantSource.system());
    private static final Arena UNUSED = new HeapArenas().create(FilterSizing.DEFAULT.plan(), CLOCK);

    protected FilterDouble() {
        super("double", FilterSizing.DEFAULT.plan(), new HeapArenas(), CLOCK, List.of(UNUSED));
    }

    @Override
    public void putRequest(OperationId id, @Nullable Long fingerprint) {
        // it is not sized for it
    }

    @Override
    public boolean isOfAnotherRequest(OperationId id, long fingerprint) {
        return false;
    }

    @Override
    public void restore(OperationId id, @Nullable Long fingerprint, long putAt) {
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
    public synchronized void intend(long beat) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized void confirm(long beat) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized void noteLost(boolean lost) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long lostSince() {
        return 0;
    }
}
