package dev.fbf.sample;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** curl, a process for each try, as a shell script would call it. */
final class CurlClient implements PageClient {

    private static final int MOST_TRIES = 20;

    private final AnyNode nodes;

    CurlClient(AnyNode nodes) {
        this.nodes = nodes;
    }

    @Override
    public void view(String page) throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        String said = "";
        for (int tries = 1; tries <= MOST_TRIES; tries++) {
            Process curl = new ProcessBuilder(
                            "curl",
                            "--silent",
                            "--show-error",
                            "--fail",
                            "--request",
                            "POST",
                            "--header",
                            "Idempotency-Key: \"" + key + '"',
                            nodes.any().resolve("/pages/" + page + "/views").toString())
                    .redirectErrorStream(true)
                    .start();
            said = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (curl.waitFor() == 0) {
                return;
            }
            Thread.sleep(Math.min(10L << tries, 500));
        }
        throw new IllegalStateException("No response after " + MOST_TRIES + " tries: " + said);
    }
}
