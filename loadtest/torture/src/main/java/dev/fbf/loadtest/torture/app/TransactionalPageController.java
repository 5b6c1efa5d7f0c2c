package dev.fbf.loadtest.torture.app;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.RestController;

/** The same for an application without fbf, which has to declare the transactions that fbf would run the methods in. */
@Transactional
@RestController
@ConditionalOnBooleanProperty("torture.transactional")
class TransactionalPageController extends PageController {

    TransactionalPageController(JdbcClient jdbc) {
        super(jdbc);
    }
}
