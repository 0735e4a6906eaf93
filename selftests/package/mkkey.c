// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * usage: mkkey KEY CERTIFICATE
 *
 * Creates a key (PEM) and its certificate (DER) for module signing, as the owner of a machine
 * does for DKMS. The common name is "cxr test key".
 */
#include <stdio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#define KEY_BITS 2048
#define VALID_SECONDS (86400L * 30)

static X509 *certificate_of(EVP_PKEY *key)
{
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);
	const unsigned char *text = (const unsigned char *)"cxr test key";

	X509_set_version(cert, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), 0);
	X509_gmtime_adj(X509_getm_notAfter(cert), VALID_SECONDS);
	X509_set_pubkey(cert, key);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
	X509_set_issuer_name(cert, name);
	return X509_sign(cert, key, EVP_sha256()) ? cert : NULL;
}

int main(int argc, char **argv)
{
	EVP_PKEY *key;
	FILE *key_file, *cert_file;
	X509 *cert;

	if (argc != 3) {
		fprintf(stderr, "usage: mkkey KEY CERTIFICATE\n");
		return 2;
	}
	key = EVP_RSA_gen(KEY_BITS);
	cert = key ? certificate_of(key) : NULL;
	key_file = fopen(argv[1], "w");
	cert_file = fopen(argv[2], "w");
	if (!cert || !key_file || !cert_file ||
	    !PEM_write_PrivateKey(key_file, key, NULL, NULL, 0, NULL, NULL) ||
	    !i2d_X509_fp(cert_file, cert) || fclose(key_file) || fclose(cert_file)) {
		fprintf(stderr, "mkkey: no key in %s, %s\n", argv[1], argv[2]);
		return 1;
	}
	return 0;
}
