/// The address of a function of OpenSSL; null if openssl.c does not name it.
const void *openssl_function(const char *name);
