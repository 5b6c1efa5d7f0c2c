package dev.fbf.sample.demo;

import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Returns the demonstrations for the page. */
@RestController
class DemoController {

    private final List<String> names;

    DemoController(ObjectProvider<Demo> demos) {
        names = demos.stream().map(Demo::name).sorted().toList();
    }

    @GetMapping("/demos")
    List<String> names() {
        return names;
    }
}
