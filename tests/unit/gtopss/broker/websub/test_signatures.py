from __future__ import annotations

import hashlib
import hmac

import pytest

from gtopss.broker.websub.signatures import METHODS, is_signed, signature

BODY = b"<feed/>"


@pytest.mark.parametrize("method", METHODS)
def test_a_signature_of_each_method_is_verified(method: str) -> None:
    made = signature("secret", BODY, method)
    assert made == f"{method}={hmac.new(b'secret', BODY, getattr(hashlib, method)).hexdigest()}"
    assert is_signed("secret", BODY, made)
    assert is_signed("secret", BODY, made.upper())
    assert not is_signed("secret", BODY + b" ", made)
    assert not is_signed("other", BODY, made)


@pytest.mark.parametrize(
    "given", [None, "", "sha256", "sha256=", "md5=00", "none=", "sha256=é", "=", "__class__=1", f"sha224={'0' * 56}"]
)
def test_what_is_no_signature_is_refused(given: str | None) -> None:
    assert not is_signed("secret", BODY, given)


def test_a_method_cannot_be_confused_with_another() -> None:
    digest = signature("secret", BODY, "sha256").partition("=")[2]
    assert not is_signed("secret", BODY, f"sha512={digest}")
    assert not is_signed("secret", BODY, f"sha1={digest[:40]}")
