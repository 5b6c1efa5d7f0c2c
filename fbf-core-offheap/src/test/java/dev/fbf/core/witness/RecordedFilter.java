package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDouble;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records its calls, and contains nothing. */
class RecordedFilter extends FilterDouble {

    final List<String> calls = new ArrayList<>();

    @Override
    public void put(OperationId id) {
        calls.add("operation " + id);
    }

    @Override
    public void putRequest(OperationId id, @Nullable Long fingerprint) {
        calls.add("request " + fingerprint + " of " + id);
    }

    @Override
    public boolean mightContain(OperationId id) {
        return false;
    }
}
