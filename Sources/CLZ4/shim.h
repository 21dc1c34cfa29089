// LZ4's block format, from the system.
#include <lz4.h>
