package dev.fbf.sample;

/** Somebody who views pages, and who is not content until the view is counted. */
interface PageClient {

    /** Sends one operation, as often as it takes, and returns when its response has arrived. */
    void view(String page) throws Exception;
}
