package dev.fbf.spring.method;

import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Makes header lines: random ones, valid ones by the grammar, and valid ones with some mistakes. */
final class HeaderLines implements Supplier<String> {

    /** The characters that mean something, more often than the others. */
    private static final String MEANINGFUL =
            "\"\"\"\\\\;;==::%%@?*-_.,() '/+&\t\n\r\0\u007f\u0080\u00fc\u00ff\u2003\ud83d";

    private static final String ALPHANUMERIC = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final String TOKEN = ALPHANUMERIC + "!#$%&'*+-.^_`|~:/";
    private static final String NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-.*";
    private static final String BASE64 = ALPHANUMERIC + "+/";

    private final SplittableRandom random;

    HeaderLines(long seed) {
        random = new SplittableRandom(seed);
    }

    @Override
    public String get() {
        return switch (random.nextInt(8)) {
            case 0 -> characters(random.nextInt(24));
            case 1 -> '"' + characters(random.nextInt(12)) + '"' + characters(random.nextInt(12));
            case 2 -> valid();
            case 3 -> bare();
            default -> mutated(valid());
        };
    }

    private String characters(int length) {
        StringBuilder characters = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            characters.append(character());
        }
        return characters.toString();
    }

    private char character() {
        return switch (random.nextInt(16)) {
            case 0 -> (char) random.nextInt(0x100);
            case 1 -> (char) random.nextInt(0x10000);
            case 2, 3, 4, 5, 6, 7 -> one(ALPHANUMERIC);
            default -> one(MEANINGFUL);
        };
    }

    private String bare() {
        return spaces() + some(TOKEN, length()) + spaces();
    }

    private String valid() {
        StringBuilder line = new StringBuilder(spaces()).append(string(length()));
        for (int i = random.nextInt(4); i > 0; i--) {
            line.append(';').append(spaces()).append(random.nextInt(8) == 0 ? '*' : (char) ('a' + random.nextInt(26)));
            line.append(some(NAME, random.nextInt(3)));
            if (random.nextInt(8) > 0) {
                line.append('=').append(bareItem());
            }
        }
        return line.append(spaces()).toString();
    }

    /** Now and then about as long as a key may be. */
    private int length() {
        return random.nextInt(32) == 0 ? 250 + random.nextInt(10) : random.nextInt(12);
    }

    private String string(int length) {
        StringBuilder string = new StringBuilder("\"");
        for (int i = 0; i < length; i++) {
            char c = (char) (' ' + random.nextInt('~' - ' ' + 1));
            string.append(c == '"' || c == '\\' ? "\\" : "").append(c);
        }
        return string.append('"').toString();
    }

    private String bareItem() {
        return switch (random.nextInt(8)) {
            case 0 -> string(random.nextInt(5));
            case 1 -> integer(15);
            case 2 -> integer(12) + "." + some("0123456789", 1 + random.nextInt(3));
            case 3 -> one("abcXYZ*") + some(TOKEN, random.nextInt(5));
            case 4 ->
                ":" + some(BASE64, 4 * random.nextInt(3)) + (random.nextBoolean() ? "" : some(BASE64, 2) + "==") + ":";
            case 5 -> random.nextBoolean() ? "?0" : "?1";
            case 6 -> "@" + integer(15);
            default -> displayString();
        };
    }

    private String integer(int digits) {
        return (random.nextBoolean() ? "-" : "") + some("0123456789", 1 + random.nextInt(digits));
    }

    private String displayString() {
        StringBuilder string = new StringBuilder("%\"");
        for (int i = random.nextInt(4); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> string.append("%22");
                case 1 -> string.append("%c3%bc");
                case 2 -> string.append("%e2%82%ac");
                case 3 -> string.append("%f0%9f%98%80");
                // often no UTF-8
                case 4 -> string.append('%').append(some("0123456789abcdef", 2));
                default -> string.append(one(ALPHANUMERIC));
            }
        }
        return string.append('"').toString();
    }

    private String mutated(String line) {
        StringBuilder mutated = new StringBuilder(line);
        for (int i = 1 + random.nextInt(3); i > 0 && !mutated.isEmpty(); i--) {
            int at = random.nextInt(mutated.length());
            switch (random.nextInt(6)) {
                case 0 -> mutated.deleteCharAt(at);
                case 1 -> mutated.insert(at, character());
                case 2 -> mutated.setCharAt(at, character());
                case 3 -> mutated.setLength(at);
                case 4 -> mutated.insert(at, mutated.charAt(at));
                default -> mutated.append(mutated, at, mutated.length());
            }
        }
        return mutated.toString();
    }

    private String spaces() {
        return random.nextInt(4) == 0 ? " ".repeat(1 + random.nextInt(2)) : "";
    }

    private String some(String characters, int length) {
        StringBuilder some = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            some.append(one(characters));
        }
        return some.toString();
    }

    private char one(String characters) {
        return characters.charAt(random.nextInt(characters.length()));
    }
}
