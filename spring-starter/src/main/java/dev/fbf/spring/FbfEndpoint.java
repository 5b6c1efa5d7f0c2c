package dev.fbf.spring;

import java.util.List;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Lists the transactions that are in doubt, and lets an operator decide on those that the database cannot tell about. */
@Endpoint(id = "fbf")
final class FbfEndpoint {

    private final Guards guards;

    FbfEndpoint(Guards guards) {
        this.guards = guards;
    }

    @ReadOperation
    State state() {
        return new State(guards.areReady(), guards.inDoubt());
    }

    /**
     * Decides on a transaction.
     *
     * @param transaction what it is listed as
     * @param applied whether its operations were applied
     */
    @WriteOperation
    WebEndpointResponse<State> decide(@Selector String transaction, boolean applied) {
        boolean decided = guards.decide(transaction, applied);
        return new WebEndpointResponse<>(
                state(), decided ? WebEndpointResponse.STATUS_OK : WebEndpointResponse.STATUS_NOT_FOUND);
    }

    /**
     * What can be seen.
     *
     * @param ready whether no operation is refused because of how the last process ended
     * @param inDoubt the transactions in doubt
     */
    record State(boolean ready, List<InDoubt> inDoubt) {}
}
