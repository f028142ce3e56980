// libcrypto, used for SHA-256 of tokens and pairing codes, and for HMAC-SHA256 signatures of webhook deliveries.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
