package dev.fbf.sample.fault;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/** Cuts the connection in place of an answer that {@link LostAnswersFilter} kept; not a byte of it has left by then. */
final class LostAnswersValve extends ValveBase {

    private final LostAnswers lostAnswers;

    LostAnswersValve(LostAnswers lostAnswers) {
        super(true);
        this.lostAnswers = lostAnswers;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        getNext().invoke(request, response);
        if (request.getAttribute(LostAnswersFilter.LOST) != null && !response.isCommitted()) {
            response.setSuspended(true);
            response.getCoyoteResponse().action(ActionCode.CLOSE_NOW, null);
            lostAnswers.countOne();
        }
    }
}
