from __future__ import annotations

from gtopss.broker.tickets import is_secret_of, new_id, new_key, new_ticket, secret_hash


def test_tickets_keys_and_ids_never_repeat() -> None:
    made = [make() for make in (new_ticket, new_key, new_id) for _ in range(1_000)]
    assert len(set(made)) == len(made)
    assert all(len(ticket) == 46 for ticket in made[:2_000])


def test_a_ticket_has_the_hash_that_is_stored_and_no_other_text_has() -> None:
    ticket = new_ticket()
    stored = secret_hash(ticket)
    assert ticket.encode() not in stored
    assert is_secret_of(ticket, stored)
    for wrong in (ticket[:-1], ticket + "x", ticket.swapcase(), "", None, 5, b"x", "\ud800", "x" * 10_000_000):
        assert not is_secret_of(wrong, stored)
        assert not is_secret_of(wrong, None)


def test_a_long_text_is_cut_before_it_is_hashed_and_is_still_no_ticket() -> None:
    assert not is_secret_of(new_ticket() * 10, secret_hash(new_ticket()))


def test_no_ticket_is_right_where_nothing_is_stored() -> None:
    assert not is_secret_of("", None)
    assert not is_secret_of(new_ticket(), None)
