"""Threads of one call: results in order, errors, callers that do not wait for each other, forked processes."""

from __future__ import annotations

import os
import threading

import pytest

from gtopss.matching.threads import MatchThreads, available_processors


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("items", [0, 1, 2, 50])
def test_results_are_in_the_order_of_the_items(count: int, items: int) -> None:
    assert MatchThreads(count).map(lambda item: item * item, range(items)) == [item * item for item in range(items)]


def test_several_threads_work_for_one_call() -> None:
    both = threading.Barrier(2, timeout=60)

    def meet(_: int) -> int:
        both.wait()  # passes only if another thread waits too
        return threading.get_ident()

    assert len(set(MatchThreads(2).map(meet, [1, 2]))) == 2


def test_one_thread_is_the_callers() -> None:
    assert set(MatchThreads(1).map(lambda _: threading.get_ident(), range(5))) == {threading.get_ident()}


@pytest.mark.parametrize("bad", [0, 7])
def test_an_error_is_raised_when_all_threads_have_ended(bad: int) -> None:
    running: set[int] = set()

    def work(item: int) -> int:
        running.add(item)
        try:
            if item == bad:
                raise ValueError("bad item")
            return item
        finally:
            running.discard(item)

    threads = MatchThreads(3)
    with pytest.raises(ValueError, match="bad item"):
        threads.map(work, range(8))
    assert not running
    assert threads.map(work, [bad + 1, bad + 2]) == [bad + 1, bad + 2]


def test_a_caller_does_not_wait_for_threads_that_work_for_another() -> None:
    threads, is_busy, may_end = MatchThreads(2), threading.Event(), threading.Event()

    def wait(item: int) -> int:
        if threading.current_thread() is not threading.main_thread():
            is_busy.set()
            may_end.wait(60)
        return item

    other = threading.Thread(target=lambda: threads.map(wait, [1, 2]))
    other.start()
    try:
        assert is_busy.wait(60)
        assert threads.map(lambda item: item, range(10)) == list(range(10))
    finally:
        may_end.set()
        other.join()


def test_a_forked_process_starts_threads_of_its_own() -> None:
    threads = MatchThreads(2)
    assert threads.map(str, range(4)) == list("0123")
    child = os.fork()
    if not child:
        is_right = threads.map(str, range(6)) == list("012345")
        os._exit(0 if is_right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_no_more_threads_means_the_callers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert MatchThreads(2).map(str, range(3)) == list("012")


def test_the_processors_of_this_process_are_counted() -> None:
    assert 1 <= available_processors() <= (os.cpu_count() or 1)
