package dev.fbf.spring.filter;

import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.spring.transaction.NodeStatus;

/** The filter of an open scope. */
public final class OpenFilter {

    private OpenFilter() {}

    public static ForgetfulBloomFilter of(NodeStatus.OpenScope scope) {
        return ((WitnessedScope) scope).witnessed().filter();
    }
}
