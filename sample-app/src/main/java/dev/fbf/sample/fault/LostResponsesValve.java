package dev.fbf.sample.fault;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/** Cuts the connection in place of a response that {@link LostResponsesFilter} kept; not a byte of it has left by then. */
final class LostResponsesValve extends ValveBase {

    private final LostResponses lostResponses;

    LostResponsesValve(LostResponses lostResponses) {
        super(true);
        this.lostResponses = lostResponses;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        getNext().invoke(request, response);
        if (request.getAttribute(LostResponsesFilter.LOST) != null && !response.isCommitted()) {
            response.setSuspended(true);
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, null);
            lostResponses.countOne();
        }
    }
}
