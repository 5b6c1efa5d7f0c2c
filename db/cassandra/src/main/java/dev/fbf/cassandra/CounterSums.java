package dev.fbf.cassandra;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Sums of counters over the shares of all lanes. */
final class CounterSums {

    private CounterSums() {}

    /**
     * Waits for reads of shares, including all their pages.
     *
     * @return the sums of those counters that have a share
     * @throws DriverException if one of the reads fails
     */
    static Map<String, Long> join(List<CompletionStage<AsyncResultSet>> reads) {
        Map<String, Long> sums = new HashMap<>();
        for (CompletionStage<AsyncResultSet> read : reads) {
            AsyncResultSet page = result(read);
            LaneTable.requireColumns(page.getColumnDefinitions());
            add(page, sums);
            while (page.hasMorePages()) {
                page = result(page.fetchNextPage());
                add(page, sums);
            }
        }
        return sums;
    }

    private static void add(AsyncResultSet page, Map<String, Long> sums) {
        for (Row row : page.currentPage()) {
            sums.merge(row.getString("name"), row.getLong("value"), Long::sum);
        }
    }

    private static AsyncResultSet result(CompletionStage<AsyncResultSet> read) {
        try {
            return read.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DriverException failure) {
                throw failure.copy();
            }
            throw e;
        }
    }
}
