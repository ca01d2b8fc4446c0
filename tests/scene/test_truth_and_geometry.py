"""Three-valued logic keeps Kleene's laws, and boxes say where things are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from falter.generation.scene import Box, SceneGraph
from falter.generation.scene.graph import clip, horizontal_sides, is_left_of, on_side, side_of
from falter.generation.scene.ontology_protocol import conjunction, disjunction, negate

truths = st.sampled_from([True, False, None])
lists = st.lists(truths, max_size=6)
RANK = {False: 0, None: 1, True: 2}


def test_the_tables_are_kleenes() -> None:
    for first in (True, False, None):
        for second in (True, False, None):
            assert RANK[conjunction([first, second])] == min(RANK[first], RANK[second])
            assert RANK[disjunction([first, second])] == max(RANK[first], RANK[second])
    assert (negate(True), negate(False), negate(None)) == (False, True, None)


def test_of_nothing_all_hold_and_none_does() -> None:
    assert conjunction([]) is True
    assert disjunction([]) is False


@given(lists)
def test_de_morgan(values: list[bool | None]) -> None:
    assert negate(conjunction(values)) is disjunction(negate(value) for value in values)
    assert negate(disjunction(values)) is conjunction(negate(value) for value in values)


@given(lists, lists)
def test_order_and_grouping_do_not_matter(first: list[bool | None], second: list[bool | None]) -> None:
    for fold in (conjunction, disjunction):
        assert fold(first + second) is fold(second + first) is fold([fold(first), fold(second)])
        assert fold(first + first) is fold(first)


@given(truths, truths, truths)
def test_each_distributes_over_the_other(a: bool | None, b: bool | None, c: bool | None) -> None:
    assert conjunction([a, disjunction([b, c])]) is disjunction([conjunction([a, b]), conjunction([a, c])])
    assert disjunction([a, conjunction([b, c])]) is conjunction([disjunction([a, b]), disjunction([a, c])])
    assert conjunction([a, disjunction([a, b])]) is a


@given(lists, st.integers(0, 5), st.booleans())
def test_learning_more_never_turns_a_verdict(values: list[bool | None], place: int, learned: bool) -> None:
    """Once something is known, filling in an unknown changes nothing."""
    if place >= len(values) or values[place] is not None:
        return
    more = [*values[:place], learned, *values[place + 1 :]]
    for fold in (conjunction, disjunction):
        if fold(values) is not None:
            assert fold(more) is fold(values)


def test_left_and_right_by_boxes() -> None:
    left, right, wide = Box(0, 0, 10, 10), Box(10, 5, 10, 100), Box(5, 0, 10, 10)
    assert is_left_of(left, right) is True
    assert is_left_of(right, left) is False
    assert is_left_of(left, wide) is None
    assert is_left_of(left, left) is None
    # Further down than half of the smaller one's height: to the left for nobody sure, and to the right for nobody.
    below = Box(10, 6, 10, 100)
    assert is_left_of(left, below) is None
    assert is_left_of(below, left) is False


def test_sides_of_the_picture() -> None:
    graph = SceneGraph(image_id="1", width=100, height=200, objects={})
    assert on_side(Box(0, 0, 50, 9), "left", graph) is True
    assert on_side(Box(0, 0, 50, 9), "right", graph) is False
    assert on_side(Box(50, 0, 50, 9), "right", graph) is True
    assert on_side(Box(49, 0, 2, 9), "left", graph) is None
    assert on_side(Box(0, 0, 5, 100), "top", graph) is True
    assert on_side(Box(0, 99, 5, 5), "bottom", graph) is None
    assert on_side(Box(0, 0, 5, 5), "middle", graph) is False
    assert on_side(Box(40, 90, 20, 20), "middle", graph) is True
    assert on_side(Box(40, 0, 20, 20), "middle", graph) is None


def test_a_box_near_the_middle_has_no_side() -> None:
    graph = SceneGraph(image_id="1", width=100, height=200, objects={})
    assert side_of(Box(0, 0, 78, 9), "horizontal", graph) == "left"
    assert side_of(Box(0, 0, 80, 9), "horizontal", graph) is None
    assert side_of(Box(60, 0, 2, 9), "horizontal", graph) == "right"
    assert side_of(Box(0, 150, 9, 9), "vertical", graph) == "bottom"
    boxes = [Box(start, 5, size, 9) for start in range(0, 200, 7) for size in (1, 39, 78, 80, 81, 120)]
    assert horizontal_sides(boxes, graph) == [side_of(box, "horizontal", graph) for box in boxes]


boxes = st.builds(Box, *[st.integers(-50, 150)] * 2, *[st.integers(1, 80)] * 2)


@given(boxes)
def test_a_clipped_box_lies_in_the_picture(box: Box) -> None:
    kept = clip(box, 100, 80)
    if kept is None:
        assert box.right <= 0 or box.bottom <= 0 or box.x >= 100 or box.y >= 80
    else:
        assert 0 <= kept.x < kept.right <= 100
        assert 0 <= kept.y < kept.bottom <= 80
        assert clip(kept, 100, 80) == kept


def test_a_box_knows_its_edges() -> None:
    box = Box(1, 2, 10, 20)
    assert (box.right, box.bottom) == (11, 22)
