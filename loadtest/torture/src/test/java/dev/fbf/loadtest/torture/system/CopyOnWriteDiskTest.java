package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A disk that takes a new block for each change of a file. */
@Tag("nightly")
class CopyOnWriteDiskTest extends Replicas {

    @Test
    void eachOperationCountsOnceAfterItWasFull() throws Exception {
        Path mounted = directory.resolve("disk");
        try (LoopDisk disk = LoopDisk.mount(directory.resolve("image"), mounted, "btrfs", "noatime")) {
            int sent = 0;
            int before = 1_000; // the JVM compiles the accesses to the files
            try (Replica app = launch(mounted.resolve("fbf"), "first")) {
                app.awaitReady();
                do {
                    if (sent >= before) {
                        disk.fill();
                    }
                    sent++;
                } while (Replica.post(app.port(), PATH, "operation-" + sent) == 200);

                // an access that is not compiled ends the JVM
                assertThat(sent).isGreaterThan(before);
                assertThat(app.readiness()).as(app.log()).isIn(503, 0);
                assertThat(app.log()).containsAnyOf("No operation is admitted until the next start.", "SIGBUS");
            }
            disk.free();

            try (Replica app = launch(mounted.resolve("fbf"), "second")) {
                app.awaitReady();
                for (int operation = 1; operation <= sent; operation++) {
                    assertThat(Replica.post(app.port(), PATH, "operation-" + operation))
                            .isEqualTo(200);
                }
            }
            assertThat(views()).isEqualTo(sent);
        }
    }

    private Replica launch(Path files, String name) throws IOException {
        return Replica.launch(
                FixedPorts.free(),
                directory.resolve(name + ".log"),
                server.get().url(),
                files,
                "fbf.mode=filter",
                "fbf.retry-window=10m");
    }
}
