package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.FileBeat;
import dev.fbf.core.filter.FilterDouble;
import dev.fbf.core.filter.WordsView;
import dev.fbf.core.memory.HeapWords;
import dev.fbf.core.witness.Beat.Older;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The beat of a scope with several files, whose process dies at each of its stores. */
class BeatTest {

    private static final int FILES = 3;

    private final long[] intended = new long[FILES];
    private final long[] confirmed = new long[FILES];
    private final HeapWords claims = new HeapWords(ClaimLayout.words(1));
    private long row = Beat.NONE;

    BeatTest() {
        ClaimRecords.initialize(claims, 1, new UUID(1, 1));
    }

    /** Each life dies one store later than the one before, with its COMMIT on either side of its death. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neitherAKillNorACommitWithoutResponseLeadsToADisagreement(boolean lateCommit) {
        int deaths = 0;
        for (int stores = 0; stores < 200; stores++) {
            Stores dying = Stores.until(stores);
            try {
                Beat beat = open(dying);
                register(beat, dying);
                for (int renewal = 0; renewal < 12; renewal++) {
                    renew(beat, dying, lateCommit);
                }
            } catch (Death e) {
                deaths++;
            }
            assertThat(open(new Stores()).compare(row, row != Beat.NONE))
                    .as("after a death at store %d", stores)
                    .isEmpty();
        }
        assertThat(deaths).isGreaterThan(100);
    }

    @Test
    void anIntentIsNotReplacedBeforeItIsConfirmed() {
        Beat beat = started();
        long intent = beat.intend(row);

        assertThat(beat.intend(row)).as("the row may get it at any time").isEqualTo(intent);
        assertThat(beat.expected()).containsExactly(row, intent);
        assertThat(beat.compare(intent, true)).isEmpty();
        assertThat(beat.intend(intent)).as("the row has it").isGreaterThan(intent);
    }

    @Test
    void aDatabaseThatWasPutBackAndWentOnIsKnownByTheRandomBits() {
        Beat beat = started();
        row ^= 1;

        assertThat(beat.compare(row, true)).containsExactly(Older.DATABASE);
    }

    /** It takes over later, and has no operations until then. */
    @Test
    void anEmptyFileBesideOthersDoesNotMatter() {
        Beat beat = started();
        intended[0] = Beat.NONE;
        confirmed[0] = Beat.NONE;

        assertThat(beat.compare(row, true)).isEmpty();
        assertThat(beat.expected()).containsExactly(row);
        renew(beat, new Stores(), false);
        assertThat(confirmed).containsOnly(row);
    }

    @Test
    void aDiskThatTakesNoBeatStopsAllOperations() {
        RecordedClaims recorded = HeapClaims.of(
                new ClaimRecords(new WordsView(claims) {
                    @Override
                    public void force(long first, int count) {
                        throw new UncheckedIOException(new IOException("the disk is gone"));
                    }
                }),
                1,
                List.of());
        ScopeClaims views = HeapClaims.scope(recorded, "views", new Files(new Stores()));

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> views.beat().intend(Beat.NONE));

        assertThat(intended).as("the row is not raised").containsOnly(Beat.NONE);
        assertThat(views.admit(new OperationId(1, 1), null)).isEqualTo(Refusal.FAILED);
    }

    private Beat started() {
        Beat beat = open(new Stores());
        register(beat, new Stores());
        renew(beat, new Stores(), false);
        return beat;
    }

    private Beat open(Stores stores) {
        RecordedClaims recorded = HeapClaims.of(new ClaimRecords(stores.of(claims)), 1, List.of());
        return HeapClaims.scope(recorded, "views", new Files(stores)).beat();
    }

    private void register(Beat beat, Stores stores) {
        long next = beat.intend(row);
        stores.dieIfDue();
        row = next;
        stores.dieIfDue();
        beat.confirm(next);
    }

    private void renew(Beat beat, Stores stores, boolean lateCommit) {
        Set<Long> expected = beat.expected();
        assertThat(expected).contains(row);
        long next = beat.intend(expected.iterator().next());
        try {
            stores.dieIfDue();
        } catch (Death e) {
            row = lateCommit ? next : row;
            throw e;
        }
        row = next;
        stores.dieIfDue();
        beat.confirm(next);
    }

    /** The files of a filter. */
    private final class Files extends FilterDouble {

        private final Stores stores;

        Files(Stores stores) {
            this.stores = stores;
        }

        @Override
        public List<FileBeat> beats() {
            return IntStream.range(0, FILES)
                    .mapToObj(file -> new FileBeat(intended[file], confirmed[file]))
                    .toList();
        }

        @Override
        public synchronized void intend(long beat) {
            for (int file = 0; file < FILES; file++) {
                stores.dieIfDue();
                intended[file] = beat;
            }
        }

        @Override
        public synchronized void confirm(long beat) {
            for (int file = 0; file < FILES; file++) {
                stores.dieIfDue();
                confirmed[file] = beat;
            }
        }
    }
}
