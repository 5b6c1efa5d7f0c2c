package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.memory.ForcedWords;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The file of a node's tokens, over the lives of its processes. */
class SlotTokensTest {

    private static final UUID NODE = new UUID(1, 2);
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final long BOOT = 77;

    @TempDir
    private Path directory;

    private SlotTokens tokens;

    @BeforeEach
    void begin() {
        open(1, NODE);
    }

    @AfterEach
    void close() {
        tokens.close(NOW);
    }

    private SlotTokens open(int slots, UUID node) {
        tokens = SlotTokens.open(directory, 1, slots, BOOT, node, false);
        return tokens;
    }

    @Test
    void keepsTokensLossesAndRunsForTheNextProcess() {
        open(2, NODE).set(0, 11);
        tokens.set(1, 12);
        tokens.lose(List.of(1), NOW);
        tokens.run(new UUID(3, 4));

        open(2, NODE);

        assertThat(tokens.get(0)).isEqualTo(11);
        assertThat(tokens.get(1)).isEqualTo(12);
        assertThat(tokens.lost()).isEqualTo(new LostCommits(1, NOW));
        assertThat(tokens.earlierRuns()).contains(new UUID(3, 4));
    }

    @Test
    void keepsThemWhenTheNumberOfSlotsChanges() {
        open(2, NODE).set(0, 11);
        tokens.set(1, 12);
        tokens.lose(List.of(0), NOW);
        tokens.run(new UUID(3, 4));

        open(3, NODE);
        assertThat(IntStream.range(0, 3).mapToLong(tokens::get)).containsExactly(11L, 12L, SlotTokens.UNKNOWN);
        assertThat(tokens.capacity()).isEqualTo(3);

        open(1, NODE);
        assertThat(tokens.get(0)).isEqualTo(11);
        assertThat(tokens.capacity()).isEqualTo(1);
        assertThat(tokens.lost()).isEqualTo(new LostCommits(1, NOW));
        assertThat(tokens.earlierRuns()).contains(new UUID(3, 4));
    }

    @Test
    void knowsNoTokenOfAnotherNodesRowsButWhatIsLost() {
        open(1, NODE).set(0, 11);
        tokens.lose(List.of(0), NOW);

        open(1, new UUID(1, 3));

        assertThat(tokens.get(0)).isEqualTo(SlotTokens.UNKNOWN);
        assertThat(tokens.lost()).isEqualTo(new LostCommits(1, NOW));
        tokens.set(0, 12);
        assertThat(open(1, new UUID(1, 3)).get(0)).isEqualTo(12);
    }

    @Test
    void replacesATokenThatIsTheExpectedOne() {
        open(1, NODE).set(0, 11);

        assertThat(tokens.compareAndSet(0, 10, 12)).isFalse();
        assertThat(tokens.get(0)).isEqualTo(11);
        assertThat(tokens.compareAndSet(0, 11, 12)).isTrue();
        assertThat(tokens.get(0)).isEqualTo(12);
    }

    @Test
    void lostCommitsAreThoseOfAllSlotsSinceTheLastOneUntilTheyAreAccepted() {
        open(3, NODE);
        assertThat(tokens.lost()).isNull();
        tokens.lose(List.of(0), NOW);
        tokens.lose(List.of(2), NOW.plusSeconds(1));
        assertThat(tokens.lost()).isEqualTo(new LostCommits(2, NOW.plusSeconds(1)));

        tokens.acceptLost();
        assertThat(tokens.lost()).isNull();
    }

    @Test
    void remembersTheLast16Processes() {
        for (int run = 1; run <= 17; run++) {
            open(1, NODE).run(new UUID(run, -run));
        }

        assertThat(open(1, NODE).earlierRuns())
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(2, 17)
                        .mapToObj(run -> new UUID(run, -run))
                        .toList());
    }

    @Test
    void wasBehindForATimeAfterItWasNoted() {
        assertThat(tokens.wasBehindWithin(Duration.ofDays(365_000), NOW)).isFalse();

        tokens.noteBehind(NOW);

        Duration time = Duration.ofSeconds(2);
        assertThat(tokens.wasBehindWithin(time, NOW.plusMillis(1_999))).isTrue();
        assertThat(tokens.wasBehindWithin(time, NOW.plusMillis(2_000))).isFalse();
        assertThat(tokens.wasBehindWithin(time, NOW.minusSeconds(60))).isTrue();
    }

    /** The next process knows from them when the last one was alive. */
    @Test
    void aPowerFailureMayTakeTheLastMinuteBeforeTheNewestTimeOfTheFile() {
        ForcedWords file = new ForcedWords(SlotTokens.words(1));
        SlotTokens before = reopened(file, BOOT);
        before.forget();
        before.noteAlive(NOW);

        SlotTokens after = reopened(file, BOOT + 1);

        assertThat(after.mayLag()).isTrue();
        assertThat(after.mayLag(tokenOf(NOW.plusMillis(SlotTokens.LAST_MILLIS))))
                .isTrue();
        assertThat(after.mayLag(tokenOf(NOW.plusMillis(SlotTokens.LAST_MILLIS + 1))))
                .isFalse();

        after.set(0, tokenOf(NOW.plusSeconds(1)));
        assertThat(reopened(file, BOOT + 1).mayLag(tokenOf(NOW.plusSeconds(1).plusMillis(SlotTokens.LAST_MILLIS))))
                .isTrue();
    }

    @Test
    void nothingLagsAfterAKillOrAnOrderlyEnd() {
        long token = tokenOf(Instant.now());
        open(1, NODE).noteAlive(Instant.now());
        assertThat(open(1, NODE).mayLag()).isFalse();
        assertThat(tokens.mayLag(token)).isFalse();

        tokens.close(NOW);
        tokens = SlotTokens.open(directory, 1, 1, BOOT + 1, NODE, false);
        assertThat(tokens.mayLag()).isFalse();

        // opened, and not closed
        assertThat(SlotTokens.open(directory, 1, 1, BOOT + 2, NODE, false).mayLag())
                .isTrue();
        assertThat(SlotTokens.open(directory, 1, 1, 0, NODE, false).mayLag())
                .as("unknown boot")
                .isTrue();
        assertThat(SlotTokens.open(directory, 1, 1, 0, NODE, false).mayLag())
                .as("unknown boots")
                .isTrue();
    }

    static Stream<Consumer<SlotTokens>> changesThatAreForced() {
        return Stream.of(
                tokens -> tokens.lose(List.of(0), NOW),
                SlotTokens::acceptLost,
                tokens -> tokens.noteBehind(NOW),
                tokens -> tokens.noteAlive(NOW),
                tokens -> tokens.close(NOW));
    }

    @ParameterizedTest
    @MethodSource("changesThatAreForced")
    void aChangeIsOnTheDiskWhenItReturns(Consumer<SlotTokens> change) {
        ForcedWords words = new ForcedWords(SlotTokens.words(1));
        SlotTokens tokens = reopened(words, BOOT);
        tokens.lose(List.of(0), NOW.minusSeconds(1));
        List<Long> before = contents(words);

        change.accept(tokens);

        assertThat(contents(words)).isNotEqualTo(before);
        assertThat(contents(words.afterPowerLoss())).isEqualTo(contents(words));
    }

    private static SlotTokens reopened(ForcedWords file, long boot) {
        return new SlotTokens(file, 1, boot);
    }

    private static List<Long> contents(ForcedWords words) {
        return IntStream.range(0, (int) words.size())
                .mapToObj(words::getVolatile)
                .toList();
    }

    private static long tokenOf(Instant time) {
        return new Tokens(() -> time).next(SlotTokens.UNKNOWN);
    }
}
