package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.operation.BoundProperties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Names of the schema with fbf's tables. */
class SchemaNameTest {

    @ParameterizedTest
    @CsvSource({
        "'', must not be blank; omit it",
        "' ', must not be blank; omit it",
        "pg_fbf, must not begin with pg_",
        "a\0b, must not contain NUL",
        "${FBF_SCHEMA}, must not contain ${",
        "own_${stage, must not contain ${",
        "a\ud800, an unpaired surrogate",
        "a234567890123456789012345678901234567890123456789012345678901234, must have 63 bytes or fewer in UTF-8",
        "ä23456789012345678901234567890123456789012345678901234567890123, must have 63 bytes or fewer in UTF-8"
    })
    void aSchemaThatCannotBeIsRefused(String name, String why) {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> migration(name))
                .satisfies(e -> assertThat(e.getName()).isEqualTo("fbf.schema.name"))
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fbf",
                "My Schema",
                "a\"b",
                "a.b",
                "ä2345678901234567890123456789012345678901234567890123456789012"
            })
    void aSchemaMayHaveAnyOtherName(String name) {
        migration(name);
    }

    private static SchemaMigration migration(String name) {
        return new SchemaMigration(BoundProperties.of("fbf.schema.name=" + name).schema());
    }
}
