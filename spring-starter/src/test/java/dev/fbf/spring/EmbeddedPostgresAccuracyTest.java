package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

class EmbeddedPostgresAccuracyTest extends AccuracyContract {

    EmbeddedPostgresAccuracyTest(EmbeddedPostgres postgres) {
        super(4_000, 1, in(postgres, "accuracy"));
    }
}
