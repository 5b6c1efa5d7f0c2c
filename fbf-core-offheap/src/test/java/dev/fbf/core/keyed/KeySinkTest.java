package dev.fbf.core.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeySinkTest {

    private final KeySink sink = new KeySink(1, 2);

    /** The key 00 01 … 0f and the messages of SipHash's reference implementation, each padded with its length. */
    @Test
    void hashesAsTheReferenceImplementationDoes() {
        KeySink reference = new KeySink(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

        assertThat(reference.word(0).end()).isEqualTo(bigEndian("a3817f04ba25a8e6", "6df67214c7550293"));
        assertThat(reference.word(1L << 56).end()).isEqualTo(bigEndian("da87c1d86b99af44", "347659119b22fc45"));
        assertThat(reference.word(0x0706050403020100L).word(0x0f0e0d0c0b0a0908L).end())
                .isEqualTo(bigEndian("5493e99933b0a811", "7e08ec0f97cfc3d9"));
    }

    /** Its results are bytes, the lowest of a number first. */
    private static OperationId bigEndian(String high, String low) {
        return new OperationId(
                Long.reverseBytes(Long.parseUnsignedLong(high, 16)),
                Long.reverseBytes(Long.parseUnsignedLong(low, 16)));
    }

    @Test
    void differentListsOfPartsHaveDifferentHashes() {
        Set<OperationId> hashes = new HashSet<>();
        List<Funnel<KeySink>> lists = List.of(
                (none, into) -> {},
                (one, into) -> into.put(0),
                (one, into) -> into.put(""),
                (one, into) -> into.put(new byte[0]),
                (one, into) -> into.put(new byte[1]),
                (one, into) -> into.put(new byte[8]),
                (one, into) -> into.put(new byte[9]),
                (one, into) -> into.put("\0"),
                (one, into) -> into.put("\0\0\0\0"),
                (one, into) -> into.put("\0\0\0\0\0"),
                (two, into) -> into.put("ab").put("c"),
                (two, into) -> into.put("a").put("bc"),
                (one, into) -> into.put("abc"),
                (one, into) -> into.put("abc".getBytes(UTF_8)),
                (two, into) -> into.put(1).put(2),
                (two, into) -> into.put(2).put(1));
        for (Funnel<KeySink> list : lists) {
            list.funnel(sink, sink);
            hashes.add(sink.end());
        }

        assertThat(hashes).hasSameSizeAs(lists);
    }

    @Test
    void anotherSecretGivesAnotherHash() {
        long[] secret = new long[] {1, 2, 3, 4, 5};
        OperationId hash = KeySink.of(secret).put("a").end();
        for (int word = 0; word < secret.length; word++) {
            secret[word] ^= 1L << 63;
            assertThat(KeySink.of(secret).put("a").end()).isNotEqualTo(hash);
            secret[word] ^= 1L << 63;
        }
        assertThat(KeySink.of(secret).put("a").end()).isEqualTo(hash);
    }
}
