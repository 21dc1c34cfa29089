// zlib's C API, from the system; Apple's systems have it as well.
#include <zlib.h>
