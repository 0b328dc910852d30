from __future__ import annotations

import pickle

import gtopss.net as fetching
from gtopss.errors import GtopssError


def test_errors_travel_between_processes() -> None:
    errors = [
        fetching.InvalidURL("u", "r"),
        fetching.UnsupportedScheme("u", "file"),
        fetching.BlockedAddress("u", "h", "10.0.0.1", "private"),
        fetching.BlockedPort("u", 25),
        fetching.ConnectionFailed("u", "r"),
        fetching.TooManyRedirects("u", "r"),
        fetching.InsecureRedirect("u", "r"),
        fetching.DeadlineExceeded("u", 0.5, "connecting"),
        fetching.ResponseTooLarge("u", "body", 10),
        fetching.BadResponse("u", "r"),
        fetching.UnsupportedEncoding("u", "r"),
        fetching.UnsuccessfulStatus("u", 503, retry_after=3.0),
        fetching.Gone("u", 410),
        fetching.NotDue("u", 10.0, 5.0),
    ]
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)
        assert isinstance(again, GtopssError)
        assert again.url == "u"
        assert again.reason
    assert isinstance(errors[0], ValueError)
