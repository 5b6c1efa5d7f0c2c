package dev.fbf.core.filter;

/**
 * The beat that a file of a filter has: numbers that the filter's owner raises in all files, and in a database in between.
 *
 * @param intended the beat that the database was to get last; 0 if there was none
 * @param confirmed the beat that the database certainly got last; 0 if there was none
 */
public record FileBeat(long intended, long confirmed) {

    /** {@return whether the database may have a beat, if it is as this file knows it} */
    public boolean mayBe(long beat) {
        return beat == confirmed || beat == intended;
    }
}
