// The functions of OpenSSL that the library calls, by their names, for TLSLibrary.link. Written without
// OpenSSL's headers: only the addresses are used. OpenSSL 1.1.1 has SSL_get_peer_certificate instead of
// SSL_get1_peer_certificate.
#include "openssl.h"
#include <string.h>

#define EACH(f) \
    f(ASN1_STRING_get0_data) f(ASN1_STRING_length) f(BIO_clear_flags) f(BIO_free) f(BIO_get_data) \
    f(BIO_get_new_index) f(BIO_meth_new) f(BIO_meth_set_ctrl) f(BIO_meth_set_read) f(BIO_meth_set_write) \
    f(BIO_new) f(BIO_new_file) f(BIO_s_mem) f(BIO_set_data) f(BIO_set_flags) f(BIO_set_init) f(BIO_write) \
    f(ERR_clear_error) f(ERR_get_error) f(ERR_reason_error_string) f(EVP_PKEY_free) \
    f(GENERAL_NAME_get0_value) f(GENERAL_NAMES_free) f(i2d_X509) f(i2d_X509_PUBKEY) f(OPENSSL_init_ssl) \
    f(OPENSSL_sk_num) f(OPENSSL_sk_value) f(OpenSSL_version) f(OpenSSL_version_num) \
    f(PEM_read_bio_PrivateKey) f(PEM_read_bio_X509) f(SHA256) f(SSL_ctrl) f(SSL_CTX_check_private_key) \
    f(SSL_CTX_ctrl) f(SSL_CTX_free) f(SSL_CTX_get_cert_store) f(SSL_CTX_new) f(SSL_CTX_sess_set_new_cb) \
    f(SSL_CTX_set_alpn_protos) f(SSL_CTX_set_alpn_select_cb) f(SSL_CTX_set_cipher_list) \
    f(SSL_CTX_set_client_cert_cb) f(SSL_CTX_set_default_verify_paths) f(SSL_CTX_set_keylog_callback) \
    f(SSL_CTX_set_options) f(SSL_CTX_set_session_id_context) f(SSL_CTX_set_verify) \
    f(SSL_CTX_use_certificate) f(SSL_CTX_use_PrivateKey) f(SSL_do_handshake) f(SSL_free) \
    f(SSL_get0_alpn_selected) f(SSL_get0_param) f(SSL_get0_verified_chain) f(SSL_get1_peer_certificate) \
    f(SSL_get_error) f(SSL_get_ex_data) f(SSL_get_ex_data_X509_STORE_CTX_idx) f(SSL_get_peer_cert_chain) \
    f(SSL_get_verify_result) f(SSL_get_version) f(SSL_key_update) f(SSL_new) f(SSL_read) f(SSL_SESSION_free) \
    f(SSL_SESSION_get_protocol_version) f(SSL_session_reused) f(SSL_set_accept_state) f(SSL_set_alpn_protos) \
    f(SSL_set_bio) f(SSL_set_connect_state) f(SSL_set_ex_data) f(SSL_set_session) f(SSL_set_shutdown) \
    f(SSL_shutdown) f(SSL_write) f(TLS_client_method) f(TLS_server_method) f(X509_check_host) \
    f(X509_check_ip_asc) f(X509_free) f(X509_get_ext_d2i) f(X509_get_issuer_name) f(X509_get_X509_PUBKEY) \
    f(X509_NAME_get_text_by_NID) f(X509_STORE_add_cert) f(X509_STORE_CTX_get_current_cert) \
    f(X509_STORE_CTX_get_error) f(X509_STORE_CTX_get_ex_data) f(X509_verify_cert_error_string) \
    f(X509_VERIFY_PARAM_set1_host) f(X509_VERIFY_PARAM_set1_ip_asc) f(X509_VERIFY_PARAM_set_hostflags)

#define DECLARE(name) extern void name(void);
EACH(DECLARE)

const void *openssl_function(const char *name) {
#define FIND(function) if (strcmp(name, #function) == 0) return (const void *)function;
    EACH(FIND)
    return 0;
}
