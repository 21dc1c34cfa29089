// OpenSSL's digests (libcrypto), from the system.
#include <openssl/evp.h>
