from __future__ import annotations

from random import Random

from gtopss.attributes.matchers.deletion_table import DeletionTable


def test_the_table_is_a_map_that_uses_places_again() -> None:
    random, table, plain = Random(4), DeletionTable(), dict[int, list[int]]()
    for _ in range(2_000):
        slot = random.randrange(50)
        if slot in plain:
            assert table.pop(slot) == plain.pop(slot)
        else:
            plain[slot] = [random.randrange(400) for _ in range(random.randrange(1, 6))]
            table.add(slot, plain[slot])
    assert {slot: table.pop(slot) for slot in plain} == plain
    assert len(table._numbers) <= 50 * (1 + 2 + 3 + 4 + 5)  # each length has at most 50 places
