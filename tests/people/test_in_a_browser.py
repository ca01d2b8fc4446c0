"""The page in a real browser: whole tasks by keyboard and by touch, nothing hostile runs, and the page is quiet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from falter.apps.people.plan import plan_study
from falter.apps.people.site import serve_study
from falter.apps.people.store import AnswerStore
from falter.apps.people.study import Study
from tests.browser import needs_browser
from tests.people.made import question_suite

HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202e'

pytestmark = needs_browser


def open_page(browser: Any, link: str, *, phone: bool) -> tuple[Any, list[str]]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844} if phone else {"width": 1280, "height": 800},
        has_touch=phone,
        is_mobile=phone,
        color_scheme="dark" if phone else "light",
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(link)
    page.wait_for_selector("#start:visible")
    return page, told


def do_task(page: Any, study: Study, *, phone: bool) -> None:
    """Practice, then one whole task, as a person would: by keys, or by touching."""

    def press(selector: str) -> None:
        if phone:
            page.tap(selector)
        else:
            page.keyboard.press("Enter")

    def give(value: str) -> None:
        option = f'#options button[data-value="{value}"]'
        if phone:
            page.tap(option)
        else:
            page.keyboard.press(page.inner_text(f"{option} kbd"))

    press("#start")
    for number in range(len(study.manifest.qualification)):
        page.wait_for_selector("body[data-stage=ask] #options button:not(:disabled)")
        state = page.evaluate("fetch('api/state').then((response) => response.json())")
        expected = study.questions[state["question"]["id"]].expected
        assert expected is not None
        give(expected)
        page.wait_for_selector("#feedback:visible")
        assert page.inner_text("#verdict") == "Right", number
        press("#next")
    page.wait_for_selector("#rest:visible")
    press("#more")
    task = next(iter(study.tasks.values()))
    for number in range(len(task.questions)):
        page.wait_for_selector(f"#count:text('{number + 1} of ')")
        page.wait_for_selector("body[data-stage=ask] #options button")
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        if number == 1:
            # Back, and the same answer again.
            if phone:
                page.tap("#undo")
            else:
                page.keyboard.press("Backspace")
            page.wait_for_selector("#count:text('1 of ')")
            give("yes")
            page.wait_for_selector("#count:text('2 of ')")
        give("yes")
    page.wait_for_selector("#rest:visible")
    assert "Thank you" in page.inner_text("#rest-title")


def test_whole_tasks_by_keyboard_and_by_touch_and_nothing_hostile_runs(chromium: Any, tmp_path: Path) -> None:
    suite = question_suite(tmp_path / "suite", images=4, per_image=2, text=HOSTILE)
    study = plan_study(suite, tmp_path / "study", sample=2, per_item=2, task_length=5, controls=1)
    with serve_study(study, annotators=2) as served, served.server:
        for name, phone in (("alder", False), ("aspen", True)):
            page, told = open_page(chromium, served.new_links[name], phone=phone)
            assert "token" not in page.url
            do_task(page, study, phone=phone)
            assert told == []
            assert page.evaluate("window.hacked") is None
            if not phone:
                page.keyboard.press("?")
                assert page.is_visible("#instructions")
            page.context.close()
        manage = chromium.new_page(viewport={"width": 390, "height": 844})
        manage.goto(served.manage_link)
        manage.wait_for_selector("#rows tr")
        assert manage.locator("#rows tr").count() == 2
        manage.click("text=Exclude >> nth=0")
        manage.wait_for_selector("text=Include")
        assert manage.evaluate("window.hacked") is None
        assert manage.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        manage.close()
        store = AnswerStore(study)
        assert {row.answer for row in store.answers(excluded=True)} == {"yes"}
        per_person = sum(1 for row in store.answers(excluded=True) if row.annotator == "aspen")
        assert per_person == len(next(iter(study.tasks.values())).questions)
        store.close()
