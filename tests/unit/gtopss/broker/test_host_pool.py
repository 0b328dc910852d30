from __future__ import annotations

import threading

from gtopss.broker.host_pool import HostPool


def test_a_host_has_a_limited_number_of_threads() -> None:
    pool = HostPool(4, 2, "test")
    may_end = threading.Event()
    assert [pool.start("a", may_end.wait) for _ in range(3)] == [True, True, False]
    assert pool.start("b", may_end.wait)
    assert pool.free() == 1
    may_end.set()
    pool.wait()
    assert pool.start("a", lambda: None)
    pool.close()


def test_a_caller_can_wait_for_a_free_thread() -> None:
    pool = HostPool(1, 1, "test")
    may_end = threading.Event()
    pool.start("a", may_end.wait)
    assert pool.free() == 0
    threading.Thread(target=may_end.set).start()
    assert pool.free(60) == 1
    pool.close()


def test_close_waits_for_what_runs() -> None:
    pool = HostPool(2, 2, "test")
    may_end, ended = threading.Event(), threading.Event()

    def run() -> None:
        may_end.wait(60)
        ended.set()

    pool.start("a", run)
    threading.Thread(target=may_end.set).start()
    pool.close()
    assert ended.is_set()
