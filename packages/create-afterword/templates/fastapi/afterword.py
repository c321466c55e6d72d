"""Mint, hand over and acknowledge, in plain HTTP. The contract: packages/protocol/README.md."""

import os
from collections.abc import AsyncIterator

import httpx

# The secret key stays in this process: a page gets tokens, never the key.
settings = {
    "base_url": os.environ["AFTERWORD_BASE_URL"],
    "headers": {"authorization": f"Bearer {os.environ['AFTERWORD_SECRET_KEY']}"},
    "timeout": 2,  # a run waits no longer than this for its tokens
}
service = httpx.AsyncClient(**settings)
blocking_service = httpx.Client(**settings)


async def handed_over_run(
    respondent_id: str, session_id: str, survey_id: str | None = None, task_type: str | None = None
) -> dict | None:
    """What the page needs to ask about a finished run, with one survey or all active ones; None if the person must not be
    asked, has no id yet, or if minting failed, which costs the run nothing. The reason is printed."""
    if not respondent_id:
        return None
    body = mint_body(respondent_id, session_id, survey_id, task_type)
    try:
        return run_for_page(body, await service.post("v1/sdk/tokens", json=body))
    except httpx.HTTPError as error:  # no reply
        return print(f"minting failed: {type(error).__name__}")


def handed_over_run_blocking(
    respondent_id: str, session_id: str, survey_id: str | None = None, task_type: str | None = None
) -> dict | None:
    """The same without await, for Django, Flask and others."""
    if not respondent_id:
        return None
    body = mint_body(respondent_id, session_id, survey_id, task_type)
    try:
        return run_for_page(body, blocking_service.post("v1/sdk/tokens", json=body))
    except httpx.HTTPError as error:
        return print(f"minting failed: {type(error).__name__}")


def mint_body(respondent_id: str, session_id: str, survey_id: str | None, task_type: str | None) -> dict:
    fields = {"respondentId": respondent_id, "sessionId": session_id, "surveyId": survey_id, "taskType": task_type}
    return {name: value for name, value in fields.items() if value}


def run_for_page(body: dict, reply: httpx.Response) -> dict | None:
    try:
        answer = reply.json()
    except ValueError:
        answer = None
    answer = answer if isinstance(answer, dict) else {"code": "not a reply of the service"}
    tokens = answer.get("tokens")
    if not reply.is_success or not isinstance(tokens, dict):
        return print(f"minting failed: {reply.status_code} {answer.get('code', '')}")
    if not tokens:
        return print(f"no token: {answer.get('reason') or 'no survey is active, or this person was asked'}")
    return {"tokens": tokens, **{name: body[name] for name in ("sessionId", "taskType") if name in body}}


async def pending_scores() -> AsyncIterator[dict]:
    """The linked ratings that wait to be pushed, oldest first."""
    query = {"limit": "100"}
    while True:
        page = (await service.get("v1/sdk/pending-scores", params=query)).raise_for_status().json()
        for score in page["scores"]:
            yield score
        if page.get("nextCursor") in (None, query.get("cursor")):  # the last page, or a service that repeats itself
            return
        query["cursor"] = page["nextCursor"]


async def acknowledge(ids: list[str]) -> None:
    """Takes delivered scores off the queue, at most 200 at once. Safe to repeat."""
    results = [{"id": id, "state": "delivered"} for id in ids]
    (await service.post("v1/sdk/pending-scores/ack", json={"results": results})).raise_for_status()
