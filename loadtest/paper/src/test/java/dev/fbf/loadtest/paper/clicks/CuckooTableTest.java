package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class CuckooTableTest {

    private static final int CLICKS = 900;
    private static final int ENTRIES = 1_000;

    @Property(tries = 50)
    void findsAllClicksUpToNineTenthsOfItsEntries(
            @ForAll @IntRange(min = 8, max = 24) int fingerprintBits,
            @ForAll @IntRange(min = 0, max = 6) int furtherBits,
            @ForAll long seed) {
        CuckooTable table = new CuckooTable(ENTRIES, fingerprintBits, furtherBits);
        List<OperationId> clicks = new Ids(seed).next(CLICKS);

        assertThat(clicks).allMatch(click -> put(table, click, (1 << furtherBits) - 1));
        assertThat(clicks).allMatch(click -> contains(table, click));
    }

    @Property(tries = 50)
    void deletesAllOfAnEpochAndNoOther(@ForAll @IntRange(min = 1, max = 6) int furtherBits, @ForAll long seed) {
        CuckooTable table = new CuckooTable(ENTRIES, 24, furtherBits);
        Ids ids = new Ids(seed);
        List<OperationId> kept = ids.next(CLICKS / 2);
        List<OperationId> deleted = ids.next(CLICKS / 2);
        kept.forEach(click -> put(table, click, 0));
        deleted.forEach(click -> put(table, click, 1));
        table.deleteAll(1);

        assertThat(kept).allMatch(click -> contains(table, click));
        assertThat(deleted).noneMatch(click -> contains(table, click));
    }

    @Property(tries = 200)
    void eitherBucketLeadsToTheOther(@ForAll @IntRange(min = 4, max = 100_000) int entries, @ForAll long seed) {
        CuckooTable table = new CuckooTable(entries, 16, 0);
        OperationId click = new Ids(seed).next();
        int bucket = table.bucket(click);
        int other = table.other(bucket, table.fingerprint(click));

        assertThat(other).isBetween(0, Math.max(0, entries / CuckooTable.BUCKET - 1));
        assertThat(table.other(other, table.fingerprint(click))).isEqualTo(bucket);
    }

    private static boolean put(CuckooTable table, OperationId click, int further) {
        return table.put(table.bucket(click), table.fingerprint(click), further);
    }

    private static boolean contains(CuckooTable table, OperationId click) {
        return table.contains(table.bucket(click), table.fingerprint(click));
    }
}
