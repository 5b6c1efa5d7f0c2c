package dev.fbf.loadtest.torture.pgwire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.loadtest.torture.pgwire.ClientStream.Batch;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MessageSplitterTest {

    private static final int SSL_REQUEST = 80877103;
    private static final int VERSION_3 = 3 << 16;

    private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(wire);

    /** A session: start, a prepared COMMIT used twice, an unnamed one, a simple one. */
    private byte[] session() throws IOException {
        untyped(VERSION_3, "user\0postgres\0\0");
        typed('Q', "BEGIN\0");
        typed('P', "\0UPDATE fbf_witness SET token = $1\0\0\0");
        typed('B', "\0\0\0\0\0\0\0\0");
        typed('D', "P\0");
        typed('E', "\0\0\0\0\0");
        typed('S', "");
        typed('P', "S_1\0COMMIT\0\0\0");
        typed('B', "\0S_1\0\0\0\0\0\0\0");
        typed('E', "\0\0\0\0\0");
        typed('S', "");
        typed('B', "c\0S_1\0\0\0\0\0\0\0");
        typed('E', "c\0\0\0\0\0");
        typed('S', "");
        typed('P', "\0commit\0\0\0");
        typed('B', "\0\0\0\0\0\0\0\0");
        typed('E', "\0\0\0\0\0");
        typed('C', "SS_1\0");
        typed('S', "");
        typed('B', "\0S_1\0\0\0\0\0\0\0");
        typed('E', "\0\0\0\0\0");
        typed('S', "");
        typed('Q', "INSERT INTO t VALUES (1);\n COMMIT; \0");
        typed('X', "");
        return wire.toByteArray();
    }

    @Test
    void findsEveryStatementHoweverTheBytesAreSplit() throws IOException {
        byte[] session = session();
        SplittableRandom random = new SplittableRandom(1);
        for (int bound : new int[] {1, 2, 5, 40, session.length}) {
            for (int run = 0; run < 50; run++) {
                List<Batch> batches = split(session, random, bound);

                assertThat(batches.stream().map(Batch::statements).filter(sql -> !sql.isEmpty()))
                        .containsExactly(
                                List.of("BEGIN"),
                                List.of("UPDATE fbf_witness SET token = $1"),
                                List.of("COMMIT"),
                                List.of("COMMIT"),
                                List.of("commit"),
                                List.of(""), // closed: the name means nothing any more
                                List.of("INSERT INTO t VALUES (1);\n COMMIT; "));
                assertThat(batches.stream().filter(Batch::commits)).hasSize(4);
                assertThat(bytesOf(batches)).isEqualTo(session);
            }
        }
    }

    private static List<Batch> split(byte[] session, SplittableRandom random, int bound) throws IOException {
        MessageSplitter splitter = MessageSplitter.ofClient();
        ClientStream client = new ClientStream();
        List<Batch> batches = new ArrayList<>();
        for (int at = 0; at < session.length; ) {
            int length = Math.min(session.length - at, 1 + random.nextInt(bound));
            splitter.feed(
                    Arrays.copyOfRange(session, at, at + length),
                    length,
                    message -> client.add(message).ifPresent(batches::add));
            at += length;
        }
        return batches;
    }

    private static byte[] bytesOf(List<Batch> batches) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        batches.forEach(batch -> bytes.writeBytes(batch.bytes().toByteArray()));
        return bytes.toByteArray();
    }

    @Test
    void refusesAnotherProtocolAndEncryption() throws IOException {
        untyped(SSL_REQUEST, "");
        for (byte[] bytes : List.of("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII), wire.toByteArray())) {
            assertThatThrownBy(() -> MessageSplitter.ofClient().feed(bytes, bytes.length, message -> {}))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void knowsWhatBelongsToAGuardedTransaction() {
        assertThat(of("UPDATE fbf_witness SET token = ?").turnsWitness()).isTrue();
        assertThat(of("UPDATE \"my \"\"own\"\" schema\".fbf_witness SET token = ?")
                        .turnsWitness())
                .isTrue();
        assertThat(of("WITH w AS (update only s.fbf_witness SET token = ?) INSERT INTO t SELECT 1")
                        .turnsWitness())
                .isTrue();
        assertThat(of("SELECT token FROM fbf_witness WHERE node = ? FOR UPDATE").turnsWitness())
                .isFalse();
        assertThat(of("INSERT INTO FBF_LEDGER VALUES (1)").mentionsAny(List.of("fbf_ledger")))
                .isTrue();
        assertThat(of("COMMIT PREPARED 'x'").commits()).isFalse();
        assertThat(of("ROLLBACK TO SAVEPOINT a").rollsBack()).isFalse();
        assertThat(of("begin isolation level serializable").begins()).isTrue();
        assertThat(of("SELECT 'COMMIT'").commits()).isFalse();
    }

    @Test
    void knowsTheStatementOfAGroup() {
        String isolation = "SET transaction_isolation = 'read committed'";
        String bound = "SELECT set_config('lock_timeout', $1, true)";
        String wait = "SELECT 1 FROM fbf_counter WHERE name = CAST($2::text AS varchar) FOR NO KEY UPDATE";
        String locked = "WITH locked AS (SELECT named.id FROM named FOR NO KEY UPDATE OF counter SKIP LOCKED), ";
        Batch witnessed = of(isolation, locked + "turned AS (UPDATE fbf_witness SET token = $3) SELECT 1");
        Batch waiting = of(isolation, bound, wait, locked + "turned AS (UPDATE fbf_witness SET token = $3) SELECT 1");
        Batch entered = of(isolation, locked + "entered AS (INSERT INTO fbf_ledger (operation) SELECT 1) SELECT 1");

        assertThat(List.of(witnessed, waiting, entered))
                .allMatch(Batch::turnsWitness)
                .noneMatch(Batch::onlyReads)
                .noneMatch(batch -> batch.begins() || batch.commits() || batch.rollsBack());
    }

    private static Batch of(String... sql) {
        return new Batch(new ByteArrayOutputStream(), List.of(sql), true);
    }

    private void typed(char type, String body) throws IOException {
        out.writeByte(type);
        untyped(body);
    }

    private void untyped(int code, String body) throws IOException {
        out.writeInt(2 * Integer.BYTES + body.length());
        out.writeInt(code);
        out.writeBytes(body);
    }

    private void untyped(String body) throws IOException {
        out.writeInt(Integer.BYTES + body.length());
        out.writeBytes(body);
    }
}
