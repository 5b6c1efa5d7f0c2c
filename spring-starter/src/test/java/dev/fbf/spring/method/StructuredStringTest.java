package dev.fbf.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.text.ParseException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The cases that the HTTP working group's test vectors have for strings, and for the values of parameters
 * (github.com/httpwg/structured-field-tests: string, string-generated, and the other bare items).
 */
class StructuredStringTest {

    private static final int CHARACTERS = 0x80;

    @Test
    void readsStrings() throws ParseException {
        assertThat(StructuredString.parse("\"foo bar\"")).isEqualTo("foo bar");
        assertThat(StructuredString.parse("\"\"")).isEmpty();
        assertThat(StructuredString.parse("\"" + "foo ".repeat(65) + "\"")).isEqualTo("foo ".repeat(65));
        assertThat(StructuredString.parse("\"   \"")).isEqualTo("   ");
        assertThat(StructuredString.parse("\"foo \\\"bar\\\" \\\\ baz\"")).isEqualTo("foo \"bar\" \\ baz");
        assertThat(StructuredString.parse("  \"a\"  ")).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"füü\"",
                "\"\t\"",
                "\" \n \"",
                "'foo'",
                "\"foo",
                "\"foo \\,\"",
                "\"foo \\\"",
                "\"foo \\",
                "",
                " ",
                "foo",
                "1",
                "\t\"a\"",
                "\"a\"\t",
                "\"a\", \"b\"",
                "(\"a\")",
                "\"a\" \"b\"",
                "\"a\"b"
            })
    void refusesWhatIsNoString(String field) {
        assertRefused(field);
    }

    @ParameterizedTest
    @MethodSource("characters")
    void readsAPrintableCharacterAndNoOther(char c) throws ParseException {
        String field = "\" " + c + " \"";
        if (c < ' ' || c == 0x7F || c == '"' || c == '\\') {
            assertRefused(field);
        } else {
            assertThat(StructuredString.parse(field)).isEqualTo(" " + c + " ");
        }
    }

    @ParameterizedTest
    @MethodSource("characters")
    void readsAnEscapedQuoteOrBackslashAndNoOtherEscape(char c) throws ParseException {
        String field = "\"\\" + c + "\"";
        if (c == '"' || c == '\\') {
            assertThat(StructuredString.parse(field)).isEqualTo(String.valueOf(c));
        } else {
            assertRefused(field);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "*",
                "a_-.*1",
                "a;b",
                "a;  b=1",
                "a=1;a=2",
                "a=-0",
                "a=999999999999999",
                "a=-999999999999.999",
                "a=1.0",
                "a=\"b\"",
                "a=\"\\\"\"",
                "a=b",
                "a=*",
                "a=A!#$%&'*+-.^_`|~:/1",
                "a=:aGVsbG8=:",
                "a=::",
                "a=:aGVsbG8:",
                "a=:iZ==:",
                "a=:/+Ah:",
                "a=?0",
                "a=?1",
                "a=@0",
                "a=@-1659578233",
                "a=@999999999999999",
                "a=%\"foo bar\"",
                "a=%\"f%c3%bc%c3%bc\"",
                "a=%\"foo %22bar%22 \\ baz\"",
                "a=%\"BOM: %ef%bb%bf\"",
                "a=%\"%61\""
            })
    void leavesParametersOut(String parameters) throws ParseException {
        assertThat(StructuredString.parse("\"key\";" + parameters)).isEqualTo("key");
        assertThat(StructuredString.parse("\"key\"; " + parameters + " ")).isEqualTo("key");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "A",
                "1",
                "-a",
                "a=",
                "a= 1",
                "a =1",
                "a ;b",
                "a,b",
                "a=(1)",
                "a=1000000000000000",
                "a=1.",
                "a=.1",
                "a=1.2345",
                "a=1234567890123.0",
                "a=--1",
                "a=-",
                "a=1e3",
                "a=+1",
                "a=\"b",
                "a='b'",
                "a=:aGVsbG8=",
                "a=:=aGVsbG8=:",
                "a=:a=GVsbG8=:",
                "a=:aGVsbG8.:",
                "a=:aGVsb G8=:",
                "a=:    :",
                "a=:aGVsbG!8=:",
                "a=:aGVsbG8=!:",
                "a=:_-Ah:",
                "a=:",
                "a=?",
                "a=?2",
                "a=?true",
                "a=@",
                "a=@-",
                "a=@ 1",
                "a=@1659578233.12",
                "a=@abc",
                "a=@1000000000000000",
                "a=%\"f%C3%BC%C3%BC\"",
                "a=%\"füü\"",
                "a=%\"\t\"",
                "a=%'foo'",
                "a=%foo",
                "a=%foo\"",
                "a=%\"foo",
                "a=%\"foo %a",
                "a=%\"%c3%28\"",
                "a=%\"%a0%a1\"",
                "a=%\"%g0%1w\"",
                "a=%\"%e2%28%a1\"",
                "a=%\"%f0%28%8c%28\"",
                "a=%\"%\"",
                "a=%\"%ed%a0%80\"",
                "a=tök"
            })
    void refusesBrokenParameters(String parameters) {
        assertRefused("\"key\";" + parameters);
    }

    @Test
    void refusesASpaceBeforeParameters() {
        assertRefused("\"key\" ;a");
    }

    @Test
    void tellsWhere() {
        assertThatExceptionOfType(ParseException.class)
                .isThrownBy(() -> StructuredString.parse("\"a\", \"b\""))
                .withMessage("it is a list")
                .satisfies(e -> assertThat(e.getErrorOffset()).isEqualTo(3));
    }

    private static Stream<Character> characters() {
        return IntStream.range(0, CHARACTERS).mapToObj(c -> (char) c);
    }

    private static void assertRefused(String field) {
        assertThatExceptionOfType(ParseException.class).isThrownBy(() -> StructuredString.parse(field));
    }
}
