package dev.fbf.spring;

/** Which nodes apply the operations of a scope. */
public enum Nodes {
    /** In filter mode one, in ledger mode any number. A second one in filter mode does not start. */
    SINGLE,
    /**
     * A fixed number in filter mode, each with a directory that stays with it, behind a load balancer that sends each key
     * to the same node always. While a node is down its keys are not sent to another one.
     */
    ROUTED,
    /** Not checked: operations of one node are never retried at another one. For tests. */
    UNCHECKED
}
