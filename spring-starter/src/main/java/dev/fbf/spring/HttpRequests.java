package dev.fbf.spring;

import java.util.List;

/** What a guarded method can learn from, and tell about, the HTTP request that this thread serves. */
interface HttpRequests {

    /** Whether this thread serves an HTTP request. */
    boolean inRequest();

    /** The values of a header, one for each line that it came in. */
    List<String> header(String name);

    /** Sets a header of the answer. */
    void answerWith(String header, String value);

    /** What the client is told depends on how an operation comes out whose transaction goes on. */
    void follow(Enlistment enlistment);

    /** Where there is no web server. */
    HttpRequests NONE = new HttpRequests() {
        @Override
        public boolean inRequest() {
            return false;
        }

        @Override
        public List<String> header(String name) {
            return List.of();
        }

        @Override
        public void answerWith(String header, String value) {
            throw new IllegalStateException("no HTTP request to answer");
        }

        @Override
        public void follow(Enlistment enlistment) {
            // nobody but the caller is told
        }
    };
}
