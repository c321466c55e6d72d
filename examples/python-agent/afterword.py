"""Mint, hand over and acknowledge, in plain HTTP. The contract: packages/protocol/README.md."""

import os
from collections.abc import AsyncIterator

import httpx

# The secret key stays in this process: a page gets tokens, never the key.
service = httpx.AsyncClient(
    base_url=os.environ["AFTERWORD_BASE_URL"],
    headers={"authorization": f"Bearer {os.environ['AFTERWORD_SECRET_KEY']}"},
    timeout=2,  # a run waits no longer than this for its tokens
)


async def handed_over_run(
    respondent_id: str, session_id: str, survey_id: str | None = None, task_type: str | None = None
) -> dict | None:
    """What the page needs to ask about a finished run, with one survey or all active ones; None if the person must not be
    asked, or if minting failed."""
    run = {"sessionId": session_id} | ({"taskType": task_type} if task_type else {})
    survey = {"surveyId": survey_id} if survey_id else {}
    try:
        reply = await service.post("v1/sdk/tokens", json={"respondentId": respondent_id, **survey, **run})
        reply.raise_for_status()
        tokens = reply.json()["tokens"]
    except (httpx.HTTPError, ValueError, KeyError) as error:
        print(f"minting failed: {type(error).__name__}")  # a failed mint costs the run nothing
        return None
    return {"tokens": tokens, **run} if tokens else None


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
