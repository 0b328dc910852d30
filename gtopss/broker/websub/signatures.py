"""Sign and verify with X-Hub-Signature: `method=hex`, an HMAC of the body with the secret of the subscription."""

from __future__ import annotations

import hashlib
import hmac

SIGNATURE_HEADER = "X-Hub-Signature"
METHODS = ("sha1", "sha256", "sha384", "sha512")
"""The methods that WebSub names. SHA-1 is still used by hubs; as an HMAC it cannot be forged in practice."""
SENT_METHOD = "sha256"
"""The method of what this broker sends."""


def signature(secret: str, body: bytes, method: str = SENT_METHOD) -> str:
    """Return the value of the header.

    >>> signature("key", b"text", "sha1")
    'sha1=369e2959eb49450338b212748f77d8ded74847bb'
    """
    return f"{method}={_digest(secret, body, method)}"


def is_signed(secret: str, body: bytes, given: str | None) -> bool:
    """Return whether a header is a signature of the body. Digests are compared in constant time."""
    method, _, digest = (given or "").strip().partition("=")
    if method.lower() not in METHODS:
        return False
    right = _digest(secret, body, method.lower())
    return hmac.compare_digest(right.encode(), digest.strip().lower().encode("utf-8", "replace"))


def _digest(secret: str, body: bytes, method: str) -> str:
    return hmac.new(secret.encode(), body, getattr(hashlib, method)).hexdigest()
