// The DNS service discovery API (RFC 6763): Avahi's compatibility library on Linux, the system's own on Apple.
#include <dns_sd.h>
