"""Pages that say nothing: no error on the console, no failed request, nothing asked of anybody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Request

LEFT = "net::ERR_ABORTED"
"""How a request ends whose page has been left."""


def listen(context: BrowserContext, wrong: list[str]) -> None:
    """Put everything that goes wrong on a context's pages into `wrong`. They may take their time."""
    context.set_default_timeout(300_000)

    def asked(request: Request) -> None:
        if urlsplit(request.url).scheme in ("http", "https") and urlsplit(request.url).hostname != "127.0.0.1":
            wrong.append(f"asks {request.url}")

    context.on("weberror", lambda error: wrong.append(f"error: {error.error}"))
    context.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
    context.on("request", asked)
    context.on("response", lambda got: wrong.append(f"{got.status}: {got.url}") if got.status >= 400 else None)
    context.on(
        "requestfailed",
        lambda request: None if request.failure == LEFT else wrong.append(f"{request.failure}: {request.url}"),
    )


def listen_always(browser: Browser, wrong: list[str]) -> None:
    """The same for every context that the browser will open."""
    plain: dict[str, Any] = {"new_context": browser.new_context, "new_page": browser.new_page}

    def new_context(**options: Any) -> BrowserContext:
        context: BrowserContext = plain["new_context"](**options)
        listen(context, wrong)
        return context

    def new_page(**options: Any) -> Any:
        page = plain["new_page"](**options)
        listen(page.context, wrong)
        return page

    browser.new_context = new_context  # type: ignore[method-assign]
    browser.new_page = new_page  # type: ignore[method-assign]
