package dev.fbf.sample.page;

/**
 * Name of a page: 1 to 200 characters, not all of them blank.
 *
 * @param value the name
 */
record PageName(String value) {

    static final String RULE = "a page's name has 1 to 200 characters, not all of them blank";

    /** Public, so that Spring finds it and makes path variables of it. */
    public PageName {
        if (value.isBlank() || value.length() > 200) {
            throw new IllegalArgumentException(RULE);
        }
    }
}
