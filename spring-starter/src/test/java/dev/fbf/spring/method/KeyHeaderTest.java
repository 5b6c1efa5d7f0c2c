package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.IdempotencyKeyException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link KeyHeaderFuzzTest} cannot show of the parser: its messages, and the keys that it returns. */
class KeyHeaderTest {

    private static final KeyHeader HEADER = new KeyHeader("Idempotency-Key");

    @Test
    void readsABareKeyAndAQuotedOneAlike() {
        String uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";

        assertThat(read(uuid)).isEqualTo(uuid);
        assertThat(read('"' + uuid + '"')).isEqualTo(uuid);
        assertThat(read("  " + uuid + " ")).isEqualTo(uuid);
    }

    @Test
    void readsKeysOfOneTo255Characters() {
        assertThat(read("k")).isEqualTo("k");
        assertThat(read("k".repeat(255))).hasSize(255);
        assertThat(read('"' + "k".repeat(255) + '"')).hasSize(255);
        // escapes are not part of the key
        assertThat(read('"' + "\\\\".repeat(255) + '"')).hasSize(255);
    }

    @Test
    void refusesAMissingHeaderAndSaysWhatToSend() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> HEADER.read("payments", List.of()))
                .withMessageContaining("Send a new random key, such as a UUID, with each operation");
    }

    @Test
    void refusesARepeatedHeader() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> HEADER.read("payments", List.of("a", "a")))
                .withMessage("scope=payments: The header Idempotency-Key was sent 2 times.");
    }

    @Test
    void refusesABooleanThatIsNeitherTrueNorFalse() {
        assertThat(read("\"a\";b=?1")).isEqualTo("a");
        assertThatExceptionOfType(IdempotencyKeyException.class).isThrownBy(() -> read("\"a\";b=?2"));
    }

    @Test
    void saysWhereItIsMalformed() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> read("\"a\", \"b\""))
                .withMessage("scope=payments: The header Idempotency-Key is malformed: it is a list (character 4).");
    }

    @Test
    void callsTheHeaderByItsName() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> new KeyHeader("X-Operation").read("payments", List.of("")))
                .withMessage("scope=payments: The header X-Operation is malformed: it is empty.");
    }

    private static String read(String line) {
        return HEADER.read("payments", List.of(line));
    }
}
