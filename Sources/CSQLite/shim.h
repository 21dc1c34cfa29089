// SQLite's C API, from the system.
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast macro, which Swift cannot import: it tells SQLite to copy the bytes at once.
static inline sqlite3_destructor_type hb_sqlite_transient(void) { return SQLITE_TRANSIENT; }
