package dev.fbf.spring;

import dev.fbf.db.FbfSchema;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;

/** Makes or updates fbf's own tables in each data source once, unless that is left to others. */
final class SchemaMigration {

    private final boolean wanted;
    private final Set<DataSource> done = Collections.newSetFromMap(new IdentityHashMap<>());

    SchemaMigration(boolean wanted) {
        this.wanted = wanted;
    }

    synchronized void migrate(DataSource dataSource) {
        if (wanted && done.add(dataSource)) {
            FbfSchema.migrate(dataSource);
        }
    }
}
