package dev.fbf.loadtest.torture.recovery;

/**
 * Who is killed and started again: the same application, with another filter or with none.
 *
 * @param name what it is called
 * @param filterBytes the size of its filter's file; 0 if it runs without fbf
 * @param elements how many operations were in the filter before the first start
 */
record Contender(String name, long filterBytes, long elements) {

    static Contender withoutFbf() {
        return new Contender("without fbf", 0, 0);
    }

    boolean isGuarded() {
        return filterBytes > 0;
    }
}
