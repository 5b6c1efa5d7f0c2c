package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

    @Test
    void readsABareKeyAndAQuotedOneAlike() {
        String uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";

        assertThat(parse(uuid)).isEqualTo(uuid);
        assertThat(parse('"' + uuid + '"')).isEqualTo(uuid);
        assertThat(parse("  " + uuid + " ")).isEqualTo(uuid);
    }

    @Test
    void readsEscapesInAQuotedKey() {
        assertThat(parse("\"a \\\"b\\\\ c; d\"")).isEqualTo("a \"b\\ c; d");
    }

    @Test
    void readsKeysOfOneTo255Characters() {
        assertThat(parse("k")).isEqualTo("k");
        assertThat(parse("k".repeat(255))).hasSize(255);
        assertThat(parse('"' + "k".repeat(255) + '"')).hasSize(255);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\"\"", "a b", "a,b", "a;b", "a\"b", "a\\b", "ä", "\"ä\"", "a\tb", "\"a\tb\""})
    void refusesWhatIsNoKey(String header) {
        assertRefused(header);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a", "\"", "\"a\\\"", "\"a\\", "\"a\\b\"", "\"a\"b", "\"a\" \"b\""})
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
                .isThrownBy(() -> IdempotencyKey.parse(List.of()))
                .withMessageContaining("Send a new random key, such as a UUID, with each operation");
    }

    @Test
    void refusesARepeatedHeader() {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> IdempotencyKey.parse(List.of("a", "a")))
                .withMessage("The header Idempotency-Key was sent 2 times.");
    }

    private static void assertRefused(String header) {
        assertThatExceptionOfType(IdempotencyKeyException.class)
                .isThrownBy(() -> parse(header))
                .withMessageStartingWith("The header Idempotency-Key is malformed: ");
    }

    private static String parse(String line) {
        return IdempotencyKey.parse(List.of(line));
    }
}
