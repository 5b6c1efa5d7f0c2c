package dev.fbf.core;

/** Signals an invalid name of a counter. No counter was changed. */
public final class CounterNameException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 100;

    private final String rule;

    /**
     * Creates an exception.
     *
     * @param counter the name, which may come from a client
     * @param rule the rule that the name violates, for example "must be a UUID"
     */
    public CounterNameException(String counter, String rule) {
        super("counter=" + printable(counter) + ": " + rule);
        this.rule = rule;
    }

    /** {@return the rule that the name violates, for example "must be a UUID"} */
    public String rule() {
        return rule;
    }

    /**
     * Returns a name for messages and logs: in one line, and cut after 100 characters.
     *
     * @param counter the name, which may come from a client
     * @return the name, with an ellipsis if it was cut; control and format characters, line and paragraph separators, and unpaired
     *     surrogates are escaped
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
