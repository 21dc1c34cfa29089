// The allocator's own calls, of the C library: malloc_trim.
#include <malloc.h>
