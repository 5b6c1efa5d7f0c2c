package dev.fbf.spring.operation;

import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Creation time that some keys contain. */
final class KeyTime {

    /** UUID with milliseconds since 1970 in the first 48 bits, then the version and the variant (RFC 9562, section 5.7). */
    private static final Pattern UUID_V7 = Pattern.compile(
            "\\p{XDigit}{8}-\\p{XDigit}{4}-7\\p{XDigit}{3}" + "-[89abAB]\\p{XDigit}{3}-\\p{XDigit}{12}");

    /** ULID with milliseconds since 1970 in the first 48 bits: ten digits of five bits each; the two highest bits are always 0. */
    private static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}", Pattern.CASE_INSENSITIVE);

    private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final int ULID_TIME_DIGITS = 10;

    private KeyTime() {}

    /**
     * Reads the time of a key.
     *
     * @return the time; null if the key is neither a UUID of version 7 nor a ULID
     */
    static @Nullable Instant of(String key) {
        if (UUID_V7.matcher(key).matches()) {
            return Instant.ofEpochMilli(Long.parseLong(key.substring(0, 8) + key.substring(9, 13), 16));
        }
        if (ULID.matcher(key).matches()) {
            return Instant.ofEpochMilli(crockford(key.substring(0, ULID_TIME_DIGITS)));
        }
        return null;
    }

    private static long crockford(String digits) {
        return digits.chars()
                .mapToLong(digit -> CROCKFORD.indexOf(Character.toUpperCase(digit)))
                .reduce(0, (value, digit) -> value << 5 | digit);
    }
}
