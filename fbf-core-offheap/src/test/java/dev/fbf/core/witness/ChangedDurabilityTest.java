package dev.fbf.core.witness;

import static dev.fbf.core.witness.NodeLives.PLAN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power failures under one durability, and starts under another. A filter is complete after a power failure only if a log has all that
 * was put last; a start that opens no scope changes nothing about that.
 */
class ChangedDurabilityTest {

    private static final OperationId A = new OperationId(1, 1);

    private NodeLives lives;

    @BeforeEach
    void begin(@TempDir Path temporary) {
        lives = new NodeLives(temporary);
    }

    @AfterEach
    void close() {
        lives.close();
    }

    @Test
    void aLogThatWasBegunAfterThePowerFailureDoesNotCompleteTheFilter() throws IOException {
        apply(lives.open(1, Durability.PROCESS));

        lives.losePowerAndOpen(Durability.HOST);
        lives.killAndOpen(Durability.HOST);

        assertIncomplete();
    }

    @Test
    void aLogThatAProcessWithoutItHasDeletedDoesNotCompleteTheFilter() throws IOException {
        apply(lives.open(1, Durability.HOST));

        lives.losePowerAndOpen(Durability.PROCESS);
        lives.killAndOpen(Durability.HOST);
        lives.killAndOpen(Durability.HOST);

        assertIncomplete();
    }

    @Test
    void aLogThatAProcessWithoutItHasDeletedBeforeThePowerFailureDoesNotCompleteTheFilter() throws IOException {
        apply(lives.open(1, Durability.HOST));
        apply(lives.killAndOpen(Durability.PROCESS));

        lives.losePowerAndOpen(Durability.HOST);
        lives.killAndOpen(Durability.HOST);

        assertIncomplete();
    }

    @Test
    void aLogThatWasDeletedByHandDoesNotCompleteTheFilter() throws IOException {
        apply(lives.open(1, Durability.HOST));

        deleteLog(lives.losePower());
        lives.open(1, Durability.HOST);
        lives.killAndOpen(Durability.HOST);

        assertIncomplete();
    }

    @Test
    void aStartThatOpensNoScopeLeavesTheLogToTheNext() throws IOException {
        apply(lives.open(1, Durability.HOST));

        lives.losePowerAndOpen(Durability.HOST);
        lives.killAndOpen(Durability.HOST);
        lives.losePowerAndOpen(Durability.HOST);

        assertCompleteWith(A);
    }

    @Test
    void aFilterThatAnEarlierDurabilityLeftIsForcedOnceAndThenInTheLog() throws IOException {
        apply(lives.open(1, Durability.PROCESS));
        lives.killAndOpen(Durability.HOST).scope("views", PLAN);

        lives.losePowerAndOpen(Durability.HOST);

        assertCompleteWith(A);
    }

    @Test
    void noDurabilityLosesAnythingWhileTheMachineIsUp() throws IOException {
        apply(lives.open(1, Durability.HOST));
        lives.killAndOpen(Durability.PROCESS);
        lives.killAndOpen(Durability.HOST);
        assertCompleteWith(A);

        lives.killAndOpen(Durability.PROCESS);
        assertCompleteWith(A);
    }

    @Test
    void noDurabilityLosesAnythingAfterACleanEnd() throws IOException {
        Node node = lives.open(1, Durability.PROCESS);
        apply(node);
        node.close();

        lives.losePowerAndOpen(Durability.HOST);

        assertCompleteWith(A);
    }

    private void assertIncomplete() {
        assertThat(lives.node().scope("views", PLAN).filter().incompleteFor()).isPositive();
    }

    private void assertCompleteWith(OperationId id) {
        ScopeClaims views = lives.node().scope("views", PLAN);
        assertThat(views.filter().incompleteFor()).isZero();
        assertThat(views.admit(id)).isEqualTo(Refusal.APPLIED);
    }

    private static void apply(Node node) {
        if (node.scope("views", PLAN).admit(A) instanceof Claim claim) {
            claim.applied();
        }
    }

    private static void deleteLog(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "fbf.log~*")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }
}
