package dev.fbf.core;

/** Signals a name that no counter can have. No counter was changed. */
public final class CounterNameException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 100;

    private final String rule;

    /**
     * Refuses a name.
     *
     * @param counter the name, which may come from a client
     * @param rule what a name must be, as in "must be a UUID"
     */
    public CounterNameException(String counter, String rule) {
        super("counter=" + printable(counter) + ": " + rule);
        this.rule = rule;
    }

    /** {@return what a name must be, as in "must be a UUID"} */
    public String rule() {
        return rule;
    }

    /**
     * Returns a name for messages and logs: one line without control characters, and not long.
     *
     * @param counter the name, which may come from a client
     * @return the name, with escapes as in Java and an ellipsis where that is necessary
     */
    public static String printable(String counter) {
        StringBuilder text = new StringBuilder();
        counter.codePoints().limit(LONGEST).forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE -> text.append(String.format("\\u%04x", c));
                default -> text.appendCodePoint(c);
            }
        });
        return counter.codePointCount(0, counter.length()) > LONGEST ? text + "…" : text.toString();
    }
}
