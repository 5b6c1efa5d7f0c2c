package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

class EmbeddedPostgresAccuracyTest extends AccuracyContract {

    EmbeddedPostgresAccuracyTest(EmbeddedPostgres postgres) {
        super(postgres, "accuracy", 4_000, 1);
    }
}
