package dev.fbf.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;

/** With everything forced to the disk that a power loss would take. */
@Tag("slow")
class HostDurabilityAccuracyTest extends AccuracyContract {

    HostDurabilityAccuracyTest(EmbeddedPostgres postgres) {
        super(800, 1, in(postgres, "host_accuracy"), "fbf.durability=host", "fbf.max-claims=64");
    }
}
