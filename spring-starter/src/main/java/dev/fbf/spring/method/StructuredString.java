package dev.fbf.spring.method;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.text.ParseException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser of structured fields that consist of one string (RFC 9651, section 4.2, which includes RFC 8941). Parameters are checked and
 * discarded. It accepts exactly the input that the RFC's algorithm accepts.
 */
final class StructuredString {

    /** Characters of a string, possessively: a long string needs no deep stack. */
    private static final Pattern CHARACTERS = Pattern.compile("(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*+");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    private static final int INTEGER_DIGITS = 15;
    private static final int DECIMAL_DIGITS = 12;
    private static final int FRACTION_DIGITS = 3;

    private final String text;
    private int at;

    private StructuredString(String text) {
        this.text = text;
    }

    /**
     * Parses a field.
     *
     * @param field the header's value
     * @return the string, without its quotes and escapes
     * @throws ParseException if the field is not exactly one string with optional parameters
     */
    static String parse(String field) throws ParseException {
        StructuredString parser = new StructuredString(field);
        parser.skipSpaces();
        String value = parser.string();
        while (parser.skip(';')) {
            parser.skipSpaces();
            parser.parameter();
        }
        parser.skipSpaces();
        if (parser.at < field.length()) {
            throw parser.malformed(parser.peek() == ',' ? "it is a list" : "text follows the string");
        }
        return value;
    }

    private String string() throws ParseException {
        if (!skip('"')) {
            throw malformed("a string begins with a quote");
        }
        Matcher characters = CHARACTERS.matcher(text).region(at, text.length());
        String value = characters.lookingAt() ? characters.group() : "";
        at += value.length();
        if (skip('\\')) {
            throw malformed("a backslash may stand before a quote or another backslash only");
        }
        printable(); // the closing quote: all other characters were read
        return ESCAPED.matcher(value).replaceAll("$1");
    }

    private void parameter() throws ParseException {
        if (!isLowerCase(peek()) && peek() != '*') {
            throw malformed("a parameter's name begins with a lower-case letter or an asterisk");
        }
        while (isLowerCase(peek()) || isDigit(peek()) || isOneOf("_-.*", peek())) {
            at++;
        }
        if (skip('=')) {
            bareItem();
        }
    }

    private void bareItem() throws ParseException {
        char first = peek();
        if (first == '"') {
            string();
        } else if (skip('%')) {
            displayString();
        } else if (skip(':')) {
            binary();
        } else if (isDigit(first) || first == '-') {
            number();
        } else if (isLetter(first) || first == '*') {
            token();
        } else if (skip('?')) {
            if (!skip('0') && !skip('1')) {
                throw malformed("a Boolean is ?0 or ?1");
            }
        } else if (skip('@')) {
            if (number()) {
                throw malformed("a date has whole seconds");
            }
        } else {
            throw malformed("a parameter has no value after its equals sign");
        }
    }

    /** Reads a number; returns whether it is a decimal. */
    private boolean number() throws ParseException {
        skip('-');
        int digits = digits();
        boolean decimal = skip('.');
        int fraction = decimal ? digits() : 0;
        if (digits < 1 || digits > (decimal ? DECIMAL_DIGITS : INTEGER_DIGITS)) {
            throw malformed("a number has 1 to 15 digits, and up to 12 before a point");
        }
        if (decimal && (fraction < 1 || fraction > FRACTION_DIGITS)) {
            throw malformed("a number has 1 to 3 digits after its point");
        }
        return decimal;
    }

    private int digits() {
        int start = at;
        while (isDigit(peek())) {
            at++;
        }
        return at - start;
    }

    private void token() {
        while (isLetter(peek()) || isDigit(peek()) || isOneOf("!#$%&'*+-.^_`|~:/", peek())) {
            at++;
        }
    }

    private void binary() throws ParseException {
        int end = text.indexOf(':', at);
        if (end < 0) {
            throw malformed("the closing colon is missing");
        }
        try {
            Base64.getDecoder().decode(text.substring(at, end));
        } catch (IllegalArgumentException e) {
            throw malformed("a byte sequence is written in base64");
        }
        at = end + 1;
    }

    private void displayString() throws ParseException {
        if (!skip('"')) {
            throw malformed("a percent sign stands before the quote of a display string");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (!skip('"')) {
            bytes.write(skip('%') ? lowerCaseHex() << 4 | lowerCaseHex() : printable());
        }
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray()));
        } catch (CharacterCodingException e) {
            throw malformed("a display string is written in UTF-8");
        }
    }

    private int lowerCaseHex() throws ParseException {
        char digit = peek();
        if (!isDigit(digit) && (digit < 'a' || digit > 'f')) {
            throw malformed("two digits, of 0 to 9 and a to f, follow a percent sign");
        }
        at++;
        return Character.digit(digit, 16);
    }

    private char printable() throws ParseException {
        if (at == text.length()) {
            throw malformed("the closing quote is missing");
        }
        char next = text.charAt(at);
        if (next < ' ' || next > '~') {
            throw malformed("it may have printable ASCII characters only");
        }
        at++;
        return next;
    }

    private boolean skip(char skipped) {
        boolean found = at < text.length() && text.charAt(at) == skipped;
        if (found) {
            at++;
        }
        return found;
    }

    private void skipSpaces() {
        while (peek() == ' ') {
            at++;
        }
    }

    /** Returns the next character; at the end, NUL, which the grammar does not allow. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLowerCase(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isLetter(char c) {
        return isLowerCase(c) || (c >= 'A' && c <= 'Z');
    }

    private static boolean isOneOf(String characters, char c) {
        return characters.indexOf(c) >= 0;
    }

    private ParseException malformed(String why) {
        return new ParseException(why, at);
    }
}
