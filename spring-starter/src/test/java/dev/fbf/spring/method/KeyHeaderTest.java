package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.IdempotencyKeyException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void readsEscapesInAQuotedKey() {
        assertThat(read("\"a \\\"b\\\\ c; d\"")).isEqualTo("a \"b\\ c; d");
    }

    @Test
    void toleratesParametersOfAQuotedKey() {
        assertThat(read("\"a\";v=1; retry")).isEqualTo("a");
    }

    @Test
    void readsKeysOfOneTo255Characters() {
        assertThat(read("k")).isEqualTo("k");
        assertThat(read("k".repeat(255))).hasSize(255);
        assertThat(read('"' + "k".repeat(255) + '"')).hasSize(255);
        // escapes are not part of the key
        assertThat(read('"' + "\\\\".repeat(255) + '"')).hasSize(255);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\"\"",
                "a b",
                "a,b",
                "a;b",
                "(a)",
                "a\"b",
                "a\\b",
                "ä",
                "\"ä\"",
                "a\tb",
                "\"a\tb\"",
                "\u2003a",
                "a\n"
            })
    void refusesWhatIsNoKey(String header) {
        assertRefused(header);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a", "\"", "\"a\\\"", "\"a\\", "\"a\\b\"", "\"a\"b", "\"a\" \"b\"", "\"a\", \"b\""})
    void refusesABrokenQuotation(String header) {
        assertRefused(header);
    }

    @Test
    void refusesATooLongKey() {
        assertRefused("k".repeat(256));
        assertRefused('"' + "k".repeat(256) + '"');
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
    void callsTheHeaderByItsName() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> new KeyHeader("X-Operation").read("payments", List.of("")))
                .withMessage("scope=payments: The header X-Operation is malformed: it is empty.");
    }

    private static void assertRefused(String line) {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> read(line))
                .withMessageStartingWith("scope=payments: The header Idempotency-Key is malformed: ");
    }

    private static String read(String line) {
        return HEADER.read("payments", List.of(line));
    }
}
